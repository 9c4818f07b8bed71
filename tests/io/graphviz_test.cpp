#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

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
  CHECK(directed.unused_edge_attributes == std::vector<std::string>{"label", "cost"});

  const auto undirected =
      io::read_graphviz(files.write_gzip("b.gv.gz", "graph {\r\n a -- subgraph {b c};\r\n d;\r\n}\r\n"));
  CHECK(undirected.direction == graph::Direction::undirected);
  CHECK(test::edges_of(undirected.names, undirected.edges) == "a>b a>c");
  CHECK(undirected.names.size() == 4);
  CHECK(io::read_graphviz(files.write("c.dot", "graph {}")).names.size() == 0);
}

TEST_CASE("graphviz refuses hostile files", "[io][graphviz]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphviz(files.write("bad.dot", text)); };
  CHECK_THROWS_WITH(read("digraph {\n a -- b }"), Contains("bad.dot:2: not valid DOT: -- in a directed graph"));
  for (const char* text : {"", "a,b\n1,2\n", "digraph", "digraph {", "digraph { a -> }", "digraph { a [x= }",
                           "digraph { \"a }", "graph { a -> b }", "digraph { a -> b [weight=heavy] }"})
    CHECK_THROWS_AS(read(text), DataError);
  std::string deep = "digraph ";
  for (int i = 0; i < 1'000'000; ++i) deep += "{";
  CHECK_THROWS_WITH(read(deep), Contains("nested deeper"));
  CHECK_THROWS_AS(io::read_graphviz(files.path("missing.dot")), DataError);
  CHECK_THROWS_AS(io::read_graphviz(files.path("")), DataError);
}

TEST_CASE("graphviz subgraphs, defaults, ports, strict graphs and joined texts", "[io][graphviz]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphviz(files.write("a.dot", text)); };
  const auto product = read("digraph { {b a} -> subgraph s {d c} [weight=2] }");
  CHECK(test::edges_of(product.names, product.edges) == "a>c a>d b>c b>d");
  CHECK(product.edges.weights == std::vector<float>{2, 2, 2, 2});
  const auto defaults = read("digraph { node [age=1]; a; { node [age=2]; b } c [age=3]; \"d\" + \"e\":port:n -> a }");
  CHECK(defaults.names.find("de"));
  CHECK(defaults.nodes.at("age").numbers == std::vector<float>{1, 2, 3, 1});
  const auto strict = read("strict graph { a -- b; b -- a [weight=4]; a -- a }");
  CHECK(test::edges_of(strict.names, strict.edges) == "a>b a>a");
  CHECK(strict.edges.weights == std::vector<float>{4, 1});
  const auto again = read("strict graph { a -- b [weight=2]; edge [weight=3]; a -- b; b -- c }");
  CHECK(again.edges.weights == std::vector<float>{2, 3});
  const auto texts = read("digraph {\n# a line\n a [label=<<b>x</b>>, size=-.5, k=\"a\\\\\" other] /* x */ }");
  CHECK(texts.nodes.at("label").text(0) == "<<b>x</b>>");
  CHECK(texts.nodes.at("size").numbers[0] == -0.5F);
  CHECK(texts.nodes.at("k").text(0) == "a\\\\");
}

TEST_CASE("the keys of graphviz edges are no features", "[io][graphviz]") {
  const Files files;
  const std::string text = "graph { a -- b [key=0, calls=1]; a -- b [key=1, calls=2] }";
  const auto file = io::read_graphviz(files.write("a.dot", text));
  CHECK(file.edges.size() == 2);
  CHECK(file.edges.feature_names == std::vector<std::string>{"calls"});
  CHECK(file.unused_edge_attributes.empty());
}

TEST_CASE("graphviz errors give the line", "[io][graphviz]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphviz(files.write("bad.dot", text)); };
  CHECK_THROWS_WITH(read("digraph {\n\n a -> }"), Contains("bad.dot:3: not valid DOT: expected a node, found }"));
  CHECK_THROWS_WITH(read("graph {\n a -- \x01 }"), Contains("bad.dot:2: not valid DOT: found \"\\x01\""));
  CHECK_THROWS_WITH(read("graph {\n\"a }"), Contains("bad.dot:2: not valid DOT: a quote is opened here"));
  CHECK_THROWS_WITH(read("graph {\n/* a }"), Contains("bad.dot:2: not valid DOT: a comment that never ends"));
  CHECK_THROWS_WITH(read("graph {\n/*/ a }"), Contains("bad.dot:2: not valid DOT: a comment that never ends"));
  CHECK_THROWS_WITH(read("digraph {\n a -> b;\n a -> c [weight=heavy] }"), Contains("bad.dot:3: edge attribute"));
  CHECK_THROWS_WITH(read("strict digraph { a -> b [weight=1];\n edge [weight=heavy]\n a -> b\n -> c }"),
                    Contains("bad.dot:4: edge attribute"));
  std::string defaults;
  for (int i = 0; i < 257; ++i) defaults += fmt::format("x{}=1 ", i);
  CHECK_THROWS_WITH(read("graph {\n node [" + defaults + "]\n}"), Contains("bad.dot:2: not valid DOT: more than"));
  CHECK(read("graph {\n a\n b\n\n [x=1] }").nodes.lines == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("graphviz refuses words that DOT splits", "[io][graphviz]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphviz(files.write("bad.dot", text)); };
  for (const char* word : {"1e-05", "2024-01-02", "1.2.3", "3d", "p-1", "p.1"}) {
    CAPTURE(word);
    const std::string message =
        fmt::format("bad.dot:2: not valid DOT: expected a name or a number, found \"{}\"", word);
    CHECK_THROWS_WITH(read(fmt::format("digraph {{\n a [x={}]; }}", word)), Contains(message));
    CHECK_THROWS_WITH(read(fmt::format("digraph {{\n {} -> b; }}", word)), Contains(message));
    CHECK(read(fmt::format("digraph {{ \"{}\" -> b; }}", word)).names.size() == 2);
  }
  const auto tight = read("graph{a--1--2.5--b;c--\"d\"--e[x=-1]}");
  CHECK(test::edges_of(tight.names, tight.edges) == "a>1 1>2.5 2.5>b c>d d>e");
}
