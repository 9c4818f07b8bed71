#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("an adjacency list has a node and its neighbours in a line", "[io][adjacency_list]") {
  const Files files;
  const auto file = io::read_adjacency_list(files.write("a.adjlist", "# made by hand\na b c\nb\nd\n"));
  CHECK(test::edges_of(file.names, file.edges) == "a>b a>c");
  CHECK(file.names.size() == 4);
  CHECK(io::read_adjacency_list(files.write("a.adjlist", "#\n")).names.size() == 0);
  CHECK_THROWS_AS(io::read_adjacency_list(files.path("missing.adjlist")), DataError);
}

TEST_CASE("a metis graph lists each edge at both ends", "[io][metis]") {
  const Files files;
  const auto file = io::read_metis(files.write("a.graph", "% four nodes\n4 2\n2 3\n1\n1\n\n"));
  CHECK(test::edges_of(file.names, file.edges) == "1>2 1>3");
  CHECK(file.names.size() == 4);
  const auto weighted = io::read_metis(files.write("b.graph", "2 1 111 2\n7 1 2 2 5\n8 3 4 1 5\n"));
  CHECK(weighted.edges.weights == std::vector<float>{5});
  CHECK(weighted.nodes.at("size").numbers == std::vector<float>{7, 8});
  CHECK(weighted.nodes.at("weight_2").numbers == std::vector<float>{2, 4});

  const auto read = [&](const std::string& text) { return io::read_metis(files.write("bad.graph", text)); };
  CHECK_THROWS_WITH(read("2 1\n2\n"), Contains("bad.graph:1: states 2 nodes, but only 1 lines follow"));
  CHECK_THROWS_WITH(read("2 2\n2\n1\n"), Contains("bad.graph:1: states 2 edges, each listed at both ends"));
  CHECK_THROWS_WITH(read("2 1\n2\n1\n1\n"), Contains("bad.graph:4: a line more than the 2 nodes"));
  CHECK_THROWS_WITH(read("2 1\n3\n1\n"), Contains("bad.graph:2: expected a node from 1 to 2, got \"3\""));
  CHECK_THROWS_WITH(read("2 1\n1\n1\n"), Contains("bad.graph:2: node 1 is its own neighbour"));
  CHECK_THROWS_WITH(read("2 1 1\n2\n1 4\n"), Contains("bad.graph:2: expected weight at the end of the line"));
  for (const char* text : {"", "1\n", "a b\n", "1 0 7\n\n", "1 0 0 x\n\n", "1 0 0000\n\n", "99999999999 0\n"})
    CHECK_THROWS_AS(read(text), DataError);
}
