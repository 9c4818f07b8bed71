#include "edgewise/io/result_graph.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <limits>
#include <sstream>

#include "edgewise/core/error.hpp"
#include "edgewise/io/graph_file.hpp"
#include "io/files.hpp"

using namespace edgewise;
using test::Files;

namespace {

graph::NodeNames people() {
  graph::NodeNames names;
  for (const char* name : {"ada", "B & \"co\"", "<cid>"}) names.add(name);
  return names;
}

/// Two of the three people, in another order.
io::Predictions predictions() {
  io::Predictions result;
  result.columns = {"no", "so-so"};
  result.values.resize(2, 2);
  result.values << 0.25F, 0.75F, 1.0F, 0.0F;
  result.nodes = {2, 0};
  result.before = {{"id", {"7", ""}}};
  result.after = {{"known", {"no & \"why\"", ""}}};
  return result;
}

std::string text_of(io::ResultFormat format, const graph::NodeNames& names, const io::ResultGraph& graph) {
  std::ostringstream out;
  io::write_result_graph(out, format, names, graph);
  return out.str();
}

}  // namespace

TEST_CASE("a graph with predictions can be read back in every format", "[io][result_graph]") {
  const Files files;
  const io::Predictions table = predictions();
  for (const graph::Direction direction : {graph::Direction::directed, graph::Direction::undirected}) {
    graph::EdgeList edges;
    edges.sources = {0, 1, 2};
    edges.targets = {1, 2, 2};
    edges.weights = {1.5F, 2.0F, 2.0F};
    const graph::Graph graph(people(), edges, {.direction = direction});
    for (const char* name : {"p.graphml", "p.dot", "p.gml"}) {
      CAPTURE(name, direction == graph::Direction::directed);
      files.write(name, text_of(io::result_format(name), graph.names(), io::predicted_graph(graph, table)));
      const io::GraphFile read = io::read_graph_file(files.path(name));
      CHECK(read.direction == direction);
      REQUIRE(read.names.size() == 3);
      CHECK(read.names.find("B & \"co\"").has_value());
      CHECK(read.edges.weights == edges.weights);
      const graph::Node cid = read.names.find("<cid>").value(), other = read.names.find("B & \"co\"").value();
      const auto cell = [&](const char* column, graph::Node node) {
        return std::string(read.nodes.at(column).text(node));
      };
      const bool is_gml = std::string(name) == "p.gml";
      CHECK(cell("predicted", cid) == "so-so");
      CHECK(cell(is_gml ? "p_so_so" : "p_so-so", cid) == "0.75");
      CHECK(cell("known", cid) == "no & \"why\"");
      CHECK(cell(is_gml ? "id_" : "id", cid) == "7");
      CHECK(cell("predicted", read.names.find("ada").value()) == "no");
      CHECK(cell("predicted", other).empty());
    }
  }
}

TEST_CASE("weights are written even if all are the same", "[io][result_graph]") {
  const io::Predictions table = predictions();
  graph::EdgeList edges;
  edges.sources = {0, 1};
  edges.targets = {1, 2};
  edges.weights = {2, 2};
  const graph::Graph weighted(people(), edges, {});
  CHECK(io::predicted_graph(weighted, table).edge_attributes.at(0).value(1) == "2");
  edges.weights = {};
  const graph::Graph plain(people(), edges, {});
  CHECK(io::predicted_graph(plain, table).edge_attributes.empty());
}

TEST_CASE("numbers and their deviations become attributes of nodes, missing ones none", "[io][result_graph]") {
  io::Predictions table;
  table.kind = io::PredictionKind::numbers;
  table.columns = {"age"};
  table.values = Matrix::Constant(2, 1, 36.5F);
  table.values(1, 0) = std::numeric_limits<float>::quiet_NaN();
  table.deviations = Matrix::Constant(2, 1, 0.5F);
  const std::vector<io::ResultAttribute> attributes = io::node_attributes(table, 2);
  REQUIRE(attributes.size() == 2);
  CHECK(attributes[0].name == "age");
  CHECK(attributes[0].type == io::AttributeType::number);
  CHECK(attributes[0].value(0) == "36.5");
  CHECK(attributes[0].value(1).empty());
  CHECK(attributes[1].name == "std_age");
}

TEST_CASE("kept numbers are numbers in graphs, without the cells that are none", "[io][result_graph]") {
  const Files files;
  io::Predictions table = predictions();
  table.before = {{"age", {"+7", "NA"}, true}, {"code", {"007", "NA"}}};
  const graph::Graph graph(people(), {}, {});
  for (const char* name : {"p.graphml", "p.dot", "p.gml"}) {
    CAPTURE(name);
    const std::string text =
        text_of(io::result_format(name), graph.names(), io::predicted_graph(graph, table));
    const io::GraphFile read = io::read_graph_file(files.write(name, text));
    const graph::Node cid = read.names.find("<cid>").value();
    CHECK(read.nodes.at("age").is_numeric);
    CHECK(read.nodes.at("age").numbers[cid] == 7);
    CHECK(read.nodes.at("age").missing == 2);
    CHECK_THAT(text, Catch::Matchers::Contains("007") && Catch::Matchers::Contains("NA"));
  }
}

TEST_CASE("DOT has no exponents, and no names that begin with a digit or are its own", "[io][result_graph]") {
  const graph::NodeNames names = people();
  io::ResultGraph graph{.nodes = {1}};
  const auto small = [](std::size_t) { return std::string("1e-05"); };
  for (const char* name : {"3d", "Edge", "p"})
    graph.node_attributes.push_back({name, io::AttributeType::number, small});
  CHECK_THAT(text_of(io::ResultFormat::dot, names, graph),
             Catch::Matchers::Contains("[\"3d\"=\"1e-05\", \"Edge\"=\"1e-05\", p=\"1e-05\"]"));
}

TEST_CASE("backslashes and line breaks in DOT are read as they were", "[io][result_graph]") {
  const Files files;
  const std::vector<std::string> texts = {"F/C=C\\F",   "C:\\new",           "a\\\\",       "\\\\\"x",
                                          "two\nlines", "\\N \\\\\n.", "say \"hi\""};
  graph::NodeNames names;
  io::ResultGraph graph;
  for (const std::string& text : texts) graph.nodes.push_back(names.add(text));
  graph.node_attributes.push_back({"t", io::AttributeType::text, [&](std::size_t node) { return texts[node]; }});
  const io::GraphFile read =
      io::read_graph_file(files.write("p.dot", text_of(io::ResultFormat::dot, names, graph)));
  REQUIRE(read.names.size() == texts.size());
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::optional<graph::Node> node = read.names.find(text);
    REQUIRE(node);
    CHECK(read.nodes.at("t").text(*node) == text);
  }
}

TEST_CASE("texts that DOT cannot hold are refused", "[io][result_graph]") {
  for (const char* text : {"a\\", "a\\\"b", "a\\\nb", "\\\\\\"}) {
    CAPTURE(text);
    graph::NodeNames names;
    const io::ResultGraph graph{.nodes = {names.add(text)}};
    CHECK_THROWS_WITH(text_of(io::ResultFormat::dot, names, graph),
                      Catch::Matchers::Contains("DOT cannot hold a backslash"));
    CHECK_NOTHROW(text_of(io::ResultFormat::graphml, names, graph));
  }
}

TEST_CASE("names that GraphML and GML cannot hold are refused, other texts changed", "[io][result_graph]") {
  const Files files;
  for (const char* text : {"a\x01z", "\x1f", "\xef\xbf\xbe", "a\xef\xbf\xbf"}) {
    CAPTURE(text);
    graph::NodeNames names;
    io::ResultGraph graph{.nodes = {names.add(text)}};
    CHECK_THROWS_WITH(text_of(io::ResultFormat::graphml, names, graph),
                      Catch::Matchers::Contains("GraphML cannot hold control characters: node \""));
    CHECK_THROWS_WITH(text_of(io::ResultFormat::gml, names, graph),
                      Catch::Matchers::Contains("GML cannot hold control characters: node \""));
    files.write("p.dot", text_of(io::ResultFormat::dot, names, graph));
    CHECK(io::read_graph_file(files.path("p.dot")).names[0] == text);

    graph = {.nodes = {names.add("tab\tand\nline")}};
    graph.node_attributes.push_back({"t", io::AttributeType::text, [text](std::size_t) { return text; }});
    for (const char* name : {"p.graphml", "p.gml"}) {
      files.write(name, text_of(io::result_format(name), names, graph));
      const io::GraphFile read = io::read_graph_file(files.path(name));
      CHECK(read.names[0] == "tab\tand\nline");
      CHECK_THAT(read.nodes.at("t").text(0), Catch::Matchers::Contains("\xef\xbf\xbd"));
    }
  }
}

TEST_CASE("GML is ASCII, with each key once and no exponent without a point", "[io][result_graph]") {
  const Files files;
  graph::NodeNames names;
  io::ResultGraph graph{.nodes = {names.add("Zoë €😀")}};
  for (const char* name : {"p_ä", "p__", "p_ö", "p-2"})
    graph.node_attributes.push_back(
        {name, io::AttributeType::text, [name](std::size_t) { return "of " + std::string(name); }});
  graph.node_attributes.push_back({"x", io::AttributeType::number, [](std::size_t) { return "1e-05"; }});
  const std::string text = text_of(io::ResultFormat::gml, names, graph);
  CHECK(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  CHECK_THAT(text, Catch::Matchers::Contains("\"Zo&#235; &#8364;&#128512;\" p___2 \"of p_&#228;\" p__ \"of p__\" "
                                             "p___3 \"of p_&#246;\" p_2 \"of p-2\" x 1.0e-05 ]"));
  const io::GraphFile read = io::read_graph_file(files.write("p.gml", text));
  CHECK(read.names[0] == "Zoë €😀");
  CHECK(read.nodes.at("p___3").text(0) == "of p_ö");
  CHECK(read.nodes.at("x").numbers[0] == 1e-5F);
}

TEST_CASE("parallel edges make a multigraph of GML", "[io][result_graph]") {
  const graph::NodeNames names = people();
  io::ResultGraph graph{.nodes = {0, 1}, .sources = {0, 1}, .targets = {1, 0}};
  const auto starts = [&](const char* start) {
    return text_of(io::ResultFormat::gml, names, graph).starts_with(start);
  };
  CHECK(starts("graph [\n  directed 1\n  node"));
  graph.direction = graph::Direction::undirected;
  CHECK(starts("graph [\n  directed 0\n  multigraph 1\n  node"));
}

TEST_CASE("a graph without edges or attributes is written, a table is not a graph", "[io][result_graph]") {
  const graph::NodeNames names = people();
  const io::ResultGraph graph{.nodes = {1}};
  CHECK(text_of(io::ResultFormat::dot, names, graph) == "digraph result {\n  \"B & \\\"co\\\"\";\n}\n");
  CHECK(text_of(io::ResultFormat::gml, names, graph) ==
        "graph [\n  directed 1\n  node [ id 1 label \"B &amp; &quot;co&quot;\" ]\n]\n");
  CHECK_THROWS_AS(text_of(io::ResultFormat::csv, names, graph), UsageError);
  CHECK(io::is_graph_format(io::ResultFormat::gml));
  CHECK_FALSE(io::is_graph_format(io::ResultFormat::json_lines));
}
