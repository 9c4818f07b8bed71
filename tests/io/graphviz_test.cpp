#include "edgewise/io/graphviz.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("graphviz directed and undirected graphs", "[io][graphviz]") {
  const Files files;
  const auto directed = io::read_graphviz(files.write("a.dot", R"(digraph G { // comment
  node [shape=box];
  zoe [age=36, city="New \"York\""]; bob [age=7];
  zoe -> bob [weight=0.5, label="x"];
  bob -> zoe -> cid [cost=2];
})"));
  CHECK(directed.direction == graph::Direction::directed);
  CHECK(test::edges_of(directed.names, directed.edges) == "zoe>bob bob>zoe zoe>cid");
  CHECK(directed.names[0] == "bob");  // sorted
  CHECK(directed.edges.weights == std::vector<float>{0.5f, 1, 1});
  CHECK(directed.nodes.at("age").is_numeric);
  CHECK(directed.nodes.at("age").numbers[0] == 7.0f);
  CHECK(directed.nodes.at("age").is_missing(1));
  CHECK(directed.nodes.at("shape").categories == std::vector<std::string>{"box"});
  CHECK(directed.unused_attributes == std::vector<std::string>{"label", "cost"});

  const auto undirected = io::read_graphviz(files.write_gzip("b.gv.gz", "graph {\r\n a -- subgraph {b c};\r\n d;\r\n}\r\n"));
  CHECK(undirected.direction == graph::Direction::undirected);
  CHECK(test::edges_of(undirected.names, undirected.edges) == "a>b a>c");
  CHECK(undirected.names.size() == 4);
  CHECK(io::read_graphviz(files.write("c.dot", "graph {}")).names.size() == 0);
}

TEST_CASE("graphviz refuses hostile files", "[io][graphviz]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphviz(files.write("bad.dot", text)); };
  CHECK_THROWS_WITH(read("digraph { a -- b }"), Contains("bad.dot: not valid DOT"));
  for (const char* text : {"", "a,b\n1,2\n", "digraph", "digraph {", "digraph { a -> }", "digraph { a [x= }",
                           "digraph { \"a }", "graph { a -> b }", "digraph { a -> b [weight=heavy] }"})
    CHECK_THROWS_AS(read(text), DataError);
  std::string deep = "digraph ";
  for (int i = 0; i < 1'000'000; ++i) deep += "{";
  CHECK_THROWS_WITH(read(deep), Contains("nested deeper"));
  CHECK_THROWS_AS(io::read_graphviz(files.path("missing.dot")), DataError);
  CHECK_THROWS_AS(io::read_graphviz(files.path("")), DataError);
}
