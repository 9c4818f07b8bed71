#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("node-link json as networkx writes it", "[io][node_link_json]") {
  const Files files;
  const std::string text = R"({"directed": true, "multigraph": true, "graph": {"name": "x"},
    "nodes": [{"age": 36, "city": "7", "tags": ["a"], "buys": true, "id": "ada"}, {"age": null, "buys": false, "id": 12}],
    "links": [{"weight": 0.5, "calls": 1, "source": "ada", "target": 12, "key": 0},
              {"calls": 2, "source": 12, "target": "ada", "key": 0}]})";
  std::string renamed = text;
  renamed.replace(renamed.find("links"), 5, "edges");
  for (const std::string& path : {files.write("a.json", text), files.write_gzip("b.json.gz", renamed)}) {
    const auto file = io::read_node_link_json(path);
    CHECK(file.direction == graph::Direction::directed);
    CHECK(test::edges_of(file.names, file.edges) == "ada>12 12>ada");
    CHECK(file.edges.weights == std::vector<float>{0.5f, 1.0f});
    CHECK(file.edges.feature_names == std::vector<std::string>{"calls"});
    CHECK(file.nodes.at("age").is_numeric);
    CHECK(file.nodes.at("age").is_missing(1));
    CHECK_FALSE(file.nodes.at("city").is_numeric);  // a string
    CHECK(file.nodes.at("buys").categories == std::vector<std::string>{"false", "true"});
    CHECK(file.unused_attributes == std::vector<std::string>{"tags"});
  }
  const auto empty = io::read_node_link_json(files.write("c.json", R"({"nodes": [], "links": []})"));
  CHECK(empty.names.size() == 0);
  CHECK(empty.direction == graph::Direction::undirected);
}

TEST_CASE("node-link json keeps numbers as they are spelt", "[io][node_link_json]") {
  const Files files;
  const auto file = io::read_node_link_json(files.write("a.json", R"({
    "nodes": [{"id": 18446744073709551616, "group": 1.50}, {"id": 1e2, "group": -0}, {"id": -0, "group": 7}],
    "links": [{"source": 1e2, "target": 18446744073709551616}, {"source": "-0", "target": -0}]})"));
  CHECK(test::edges_of(file.names, file.edges) == "1e2>18446744073709551616 -0>-0");
  CHECK(file.nodes.at("group").numbers == std::vector<float>{1.5F, 0, 7});
}

TEST_CASE("numbers that are not finite are missing in node-link json", "[io][node_link_json]") {
  const Files files;
  const auto file = io::read_node_link_json(files.write("a.json", R"({
    "nodes": [{"id": "a", "x": NaN, "y": 1}, {"id": "b", "x": 1.5, "y": -Infinity}, {"id": "c", "x": Infinity}],
    "links": [{"source": "a", "target": "b", "weight": 2}]})"));
  CHECK(file.nodes.at("x").missing == 2);
  CHECK(file.nodes.at("x").numbers[1] == 1.5F);
  CHECK(file.nodes.at("y").missing == 2);
}

TEST_CASE("d3 refers to nodes by their names or positions", "[io][node_link_json]") {
  const Files files;
  const auto read = [&](std::string_view text) {
    const auto file = io::read_node_link_json(files.write("a.json", text));
    return test::edges_of(file.names, file.edges);
  };
  CHECK(read(R"({"nodes": [{"name": "ada", "group": 1}, {"name": "bob"}], "links": [{"source": 1, "target": 0}]})") ==
        "bob>ada");
  CHECK(read(R"({"nodes": [{"id": "ada"}, {"id": "bob"}], "links": [{"source": 1, "target": 0}]})") == "bob>ada");
  CHECK(read(R"({"nodes": [{"name": "x"}, {"name": "x"}], "links": [{"source": 1, "target": 0}]})") == "1>0");
  CHECK(read(R"({"nodes": [{"id": 1}, {"id": 0}], "links": [{"source": 1, "target": 0}]})") == "1>0");  // ids
  const auto names = io::read_node_link_json(
      files.write("a.json", R"({"nodes": [{"name": "ada", "group": 1}, {"name": "bob"}], "links": []})"));
  CHECK(io::names_of(names.nodes.columns) == std::vector<std::string>{"group"});
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 2, "target": 0}]})"),
                    Contains("links[0].source: unknown node \"2\""));
}

TEST_CASE("cytoscape.js has elements", "[io][node_link_json]") {
  const Files files;
  const std::string lists = R"({"format_version": "1.0", "data": {"name": "Net"}, "elements": {
    "nodes": [{"data": {"id": "101", "shared_name": "A", "score": 0.5, "selected": false}, "position": {"x": 1}},
              {"data": {"id": "102", "shared_name": "B", "score": 2}}],
    "edges": [{"data": {"id": "201", "source": "101", "target": "102", "interaction": "pp", "weight": 3}}]}})";
  const std::string one =
      R"([{"data": {"id": "101", "score": 0.5}}, {"group": "nodes", "data": {"id": 102, "score": 2}},
    {"data": {"id": "e", "source": "101", "target": "102", "weight": 3}}])";
  for (const std::string& text : {lists, one, R"({"elements": )" + one + "}"}) {
    const auto file = io::read_node_link_json(files.write("a.json", text));
    CHECK(file.direction == graph::Direction::undirected);
    CHECK(test::edges_of(file.names, file.edges) == "101>102");
    CHECK(file.edges.weights == std::vector<float>{3});
    CHECK(file.nodes.at("score").numbers == std::vector<float>{0.5F, 2});
    CHECK(file.unused_edge_attributes.empty());
  }
  CHECK(io::read_node_link_json(files.write("a.json", lists)).nodes.at("shared_name").text(1) == "B");
}

TEST_CASE("json of adjacency lists names an undirected edge once", "[io][node_link_json]") {
  const Files files;
  const std::string text = R"({"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": "a"}, {"id": "b"}],
    "adjacency": [[{"weight": 2, "id": "a"}, {"weight": 3, "id": "b"}], [{"weight": 3, "id": "a"}]]})";
  const auto file = io::read_node_link_json(files.write("a.json", text));
  CHECK(test::edges_of(file.names, file.edges) == "a>a a>b");
  CHECK(file.edges.weights == std::vector<float>{2, 3});
  std::string directed = text;
  directed.replace(directed.find("false"), 5, "true");
  const auto arcs = io::read_node_link_json(files.write("a.json", directed));
  CHECK(test::edges_of(arcs.names, arcs.edges) == "a>a a>b b>a");
}

TEST_CASE("node-link json reports the position of hostile input", "[io][node_link_json]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_node_link_json(files.write("bad.json", text)); };
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]})"),
                    Contains("bad.json: links[0].target: unknown node \"2\""));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}, {"id": "1"}], "links": []})"),
                    Contains("bad.json: nodes[1]: node \"1\" appears here a second time"));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}, {"name": 1}], "links": []})"),
                    Contains("nodes[1]: \"id\" is missing"));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}], "adjacency": []})"), Contains("adjacency: expected 1 lists"));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}], "adjacency": [[{"id": 2}]]})"),
                    Contains("adjacency[0][0]: unknown node \"2\""));
  CHECK_THROWS_WITH(read(R"({"elements": {"nodes": [{"id": 1}]}})"),
                    Contains("elements.nodes[0]: \"data\" is missing"));
  CHECK_THROWS_WITH(read(R"({"elements": {"edges": [{"data": {"source": 1, "target": 1}}]}})"),
                    Contains("elements.edges[0].data.source: unknown node \"1\""));
  CHECK_THROWS_WITH(read(R"([{"group": "both", "data": {}}])"), Contains("expected \"nodes\" or \"edges\""));
  CHECK_THROWS_WITH(read(R"({"elements": [{"data": {"id": "a"}}, {"data": {"id": "a"}}]})"),
                    Contains("node \"a\" appears here a second time"));
  CHECK_THROWS_WITH(read(R"({"nodes": []})"), Contains("expected node-link JSON"));
  CHECK_THROWS_WITH(read("{\"nodes\": [,"), Contains("bad.json:1:12"));
  for (const char* text :
       {"", "[]", "[1]", "1", R"({"elements": 1})", R"({"nodes": [], "adjacency": 1})",
        R"({"nodes": [{"id": NaN}], "links": []})", R"({"nodes": [{"id": 1, "x": Nan}], "links": []})",
        R"({"nodes": [{"id": 1, "x": Infinit}], "links": []})", R"({"links": []})", R"({"nodes": 1, "links": []})",
        R"({"nodes": [1], "links": []})", R"({"nodes": [{"id": [1]}], "links": []})",
        R"({"nodes": [], "links": [{"source": 1}]})", R"({"nodes": [], "links": {}, "directed": 1})",
        R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1, "weight": "heavy"}]})",
        R"({"nodes": [{"id": 1, "x": 1e300}], "links": []})"})
    CHECK_THROWS_AS(read(text), DataError);
  const std::string partial = files.write(
      "bad.json",
      R"({"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "x": 2}, {"source": 1, "target": 1}]})");
  CHECK_THROWS_WITH(io::read_node_link_json(partial, {.edge_features = {"x"}}),
                    Contains("bad.json: edges[1]: column \"x\": expected a number, found nothing"));
  CHECK_THROWS_AS(io::read_node_link_json(files.path("missing.json")), DataError);
  CHECK_THROWS_AS(io::read_node_link_json(files.path("")), DataError);
}
