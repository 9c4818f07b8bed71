#include "edgewise/io/node_link_json.hpp"

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

TEST_CASE("node-link json reports the position of hostile input", "[io][node_link_json]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_node_link_json(files.write("bad.json", text)); };
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]})"),
                    Contains("bad.json: links[0].target: unknown node \"2\""));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"id": 1}, {"id": "1"}], "links": []})"),
                    Contains("bad.json: nodes[1]: node \"1\" appears here a second time"));
  CHECK_THROWS_WITH(read(R"({"nodes": [{"name": 1}], "links": []})"), Contains("nodes[0]: \"id\" is missing"));
  CHECK_THROWS_WITH(read(R"({"nodes": []})"), Contains("expected node-link JSON"));
  CHECK_THROWS_WITH(read("{\"nodes\": [,"), Contains("bad.json:1:12"));
  for (const char* text : {"", "[]", "1", R"({"links": []})", R"({"nodes": 1, "links": []})", R"({"nodes": [1], "links": []})",
                           R"({"nodes": [{"id": [1]}], "links": []})", R"({"nodes": [], "links": [{"source": 1}]})",
                           R"({"nodes": [], "links": {}, "directed": 1})",
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
