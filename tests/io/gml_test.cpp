#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("gml nodes, edges and attributes", "[io][gml]") {
  const Files files;
  const auto file = io::read_gml(files.write("a.gml", R"(Creator "someone [not a list]"
# a comment
graph
[
  directed 1
  comment [ deep [ deeper 1 ] ]
  node [ id 5 label "Q &amp; A" club "x" age 3.5 graphics [ x 1 ] ]
  node
  [
    id 7
    label "&#233;t&#xe9;"
    age NAN
  ]
  edge [ source 7 target 5 value 2 kind "k" cost 1 ]
  edge [ source 5 target 7 cost 2 ]
]
)"));
  CHECK(file.direction == graph::Direction::directed);
  CHECK(test::edges_of(file.names, file.edges) == "été>Q & A Q & A>été");
  CHECK(file.edges.weights == std::vector<float>{2, 1});
  CHECK(file.edges.feature_names == std::vector<std::string>{"cost"});
  CHECK(file.edges.features(1, 0) == 2.0f);
  CHECK(file.unused_edge_attributes == std::vector<std::string>{"kind"});
  CHECK(file.nodes.at("age").numbers[0] == 3.5f);
  CHECK(file.nodes.at("age").is_missing(1));
  CHECK(file.nodes.at("club").missing == 1);
  CHECK(file.nodes.lines == std::vector<std::uint64_t>{7, 8});
  CHECK(file.nodes.find("label") == nullptr);
}

TEST_CASE("gml nodes are named by their ids if labels are not unique", "[io][gml]") {
  const Files files;
  const auto file = io::read_gml(files.write_gzip(
      "a.gml.gz",
      "graph [\r\n node [ id 1 label \"x\" ]\r\n node [ id 2 label \"x\" ]\r\n edge [ source 1 target 2 ]\r\n]"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "1>2");
  CHECK(file.nodes.at("label").categories == std::vector<std::string>{"x"});
  CHECK(io::read_gml(files.write("b.gml", "graph [ ]")).names.size() == 0);
}

TEST_CASE("gml attributes that are lists are not used", "[io][gml]") {
  const Files files;
  const auto file = io::read_gml(files.write("a.gml", R"(graph [
  node [ id 0 tags "a" tags "b" x 1 ]
  node [ id 1 tags "c" x 2 ]
  edge [ source 0 target 1 cost 1 cost 2 calls 3 ]
])"));
  CHECK(file.unused_attributes == std::vector<std::string>{"tags", "cost"});
  CHECK(file.nodes.find("tags") == nullptr);
  CHECK(file.nodes.at("x").numbers == std::vector<float>{1, 2});
  CHECK(file.edges.feature_names == std::vector<std::string>{"calls"});
  const std::string bad = "graph [ node [ id 0 ]\n edge [ source 0 target 0 source 0 ] ]";
  CHECK_THROWS_WITH(io::read_gml(files.write("bad.gml", bad)),
                    Contains("bad.gml:2:2: expected one \"source\", found several"));
}

TEST_CASE("the keys of a gml multigraph are no features", "[io][gml]") {
  const Files files;
  const std::string graph = " node [ id 0 ]\n edge [ source 0 target 0 key 1 calls 2 ]\n]";
  const auto multigraph = io::read_gml(files.write("a.gml", "graph [\n multigraph 1" + graph));
  CHECK(multigraph.edges.feature_names == std::vector<std::string>{"calls"});
  const auto plain = io::read_gml(files.write("b.gml", "graph [\n multigraph 0" + graph));
  CHECK(plain.edges.feature_names == std::vector<std::string>{"key", "calls"});
}

TEST_CASE("gml reports the position of hostile input", "[io][gml]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_gml(files.write("bad.gml", text)); };
  CHECK_THROWS_WITH(read("graph [\n  node [ id 0 ]\n  edge [ source 0 target 3 ]\n]"),
                    Contains("bad.gml:3:3: target 3: no node has this id"));
  CHECK_THROWS_WITH(read("graph [\n node [ id 0 ] node [ id 0 ] ]"),
                    Contains("bad.gml:2:16: node 0 appears here a second"));
  CHECK_THROWS_WITH(read("graph [ node [ label \"a\" ] ]"), Contains("expected an attribute \"id\""));
  CHECK_THROWS_WITH(read("graph [ node [ id \"a\" ] ]"), Contains("expected a node's number, found \"a\""));
  CHECK_THROWS_WITH(read("graph [ node [ id 0 ]"), Contains("found the end of the file"));
  CHECK_THROWS_WITH(read("graph [\n node [ id 0 label \"x ] ]"), Contains("bad.gml:2:20: a quote is opened here"));
  CHECK_THROWS_WITH(read("graph [ directed 2 ]"), Contains("expected 0 or 1, found \"2\""));
  CHECK_THROWS_WITH(read("graph [ node [ id 0 x 1y ] ]"), Contains("expected a number"));
  CHECK_THROWS_WITH(read("graph [ node [ id 0 x 1e99 ] ]"), Contains("expected a number below"));
  CHECK_THROWS_WITH(read(""), Contains("holds no \"graph [ ... ]\""));
  for (const char* text : {"graph", "graph 1", "]", "graph [ node ]", "graph [ node [ id ] ]", "graph [ ] graph [ ]",
                           "[", "graph [ 1 2 ]", "a,b\n1,2\n", "graph [ x [ ]", "graph [ edge [ source 1 ] ]"})
    CHECK_THROWS_AS(read(text), DataError);
  std::string deep = "graph [ x ";
  for (int i = 0; i < 1'000'000; ++i) deep += "[ y ";
  CHECK_THROWS_AS(read(deep), DataError);
  CHECK_THROWS_AS(io::read_gml(files.path("missing.gml")), DataError);
}

TEST_CASE("many gml entities without an end are read", "[io][gml]") {
  const Files files;
  const std::string label(4'000'000, '&');  // it would take hours to search the rest of the text for each
  const std::string path = files.write("a.gml", "graph [ node [ id 1 label \"" + label + "\" ] ]");
  CHECK(io::read_gml(path).names[0] == label);
}

TEST_CASE("gml of the classic graphs has its counts", "[io][gml][data]") {
  const struct {
    const char* folder;
    const char* file;
    std::size_t nodes;
    std::size_t edges;
    bool is_weighted;
  } sets[] = {{"classic-karate-club", "karate_club.gml", 34, 78, false},
              {"classic-les-miserables", "lesmis.gml", 77, 254, true},
              {"classic-dolphins", "dolphins.gml", 62, 159, false},
              {"classic-football", "football.gml", 115, 613, false},
              {"classic-polbooks", "polbooks.gml", 105, 441, false},
              {"classic-netscience", "netscience.gml", 1589, 2742, true}};
  for (const auto& set : sets) {
    const auto folder = test::dataset(set.folder);
    if (!folder) continue;
    CAPTURE(set.folder);
    const auto file = io::read_gml(*folder + "/" + set.file);
    CHECK(file.names.size() == set.nodes);
    CHECK(file.edges.size() == set.edges);
    CHECK(file.edges.weights.empty() != set.is_weighted);
    CHECK(file.direction == graph::Direction::undirected);
    if (set.nodes == 34) CHECK(file.nodes.at("club").categories == std::vector<std::string>{"Mr. Hi", "Officer"});
    if (set.nodes == 115) CHECK(file.nodes.at("value").is_numeric);
    if (set.nodes == 105) CHECK(file.nodes.at("value").categories == std::vector<std::string>{"c", "l", "n"});
  }
}
