#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("a pajek network of edges", "[io][pajek]") {
  const Files files;
  const auto file = io::read_pajek(files.write("a.net", R"(%a comment
*Network friends
*Vertices 4
1 "Ada L." 0.1 0.2 0.5 box ic Red club "north side"
2 bob 0.3 0.3 [1-3] club south
4 "say \"hi\""
3 "Zoë"
*edges
1 2 2.5 c Blue
2 3
*Edgeslist
4 1 2
)"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "Ada L.>bob bob>Zoë say \"hi\">Ada L. say \"hi\">bob");
  CHECK(file.edges.weights == std::vector<float>{2.5F, 1, 1, 1});
  REQUIRE(file.nodes.columns.size() == 1);
  CHECK(file.nodes.at("club").text(0) == "north side");
  CHECK(file.nodes.at("club").is_missing(2));
  CHECK(file.nodes.lines == std::vector<std::uint64_t>{4, 5, 7, 6});
  REQUIRE(file.notes.size() == 1);
  CHECK_THAT(file.notes[0], Contains("changes over time"));
}

TEST_CASE("pajek vertices exist without labels, and arcs make the network directed", "[io][pajek]") {
  const Files files;
  const auto file = io::read_pajek(files.write("a.net", R"(*vertices 5 2
1 same
2 same
*Arcs :1 "likes"
1 2 0.5
*Edges :2 "knows"
2 3 4
*Arcslist
5 1
*Partition p
1
1
)"));
  CHECK(file.direction == graph::Direction::directed);
  CHECK(file.names.size() == 5);
  CHECK(test::edges_of(file.names, file.edges) == "1>2 2>3 5>1 3>2");
  CHECK(file.edges.weights == std::vector<float>{0.5F, 4, 1, 4});
  CHECK(file.nodes.at("label").text(1) == "same");
  CHECK(file.notes.size() == 4);  // kinds of nodes, the partition, directions, relations
  const auto kinds = io::read_pajek(files.path("a.net"), {.edge_features = {"relation"}});
  CHECK(kinds.edges.feature_names == std::vector<std::string>{"relation = knows", "relation = likes"});
}

TEST_CASE("a pajek matrix has an arc for each number but 0", "[io][pajek]") {
  const Files files;
  const auto file = io::read_pajek(files.write("a.net", "*Vertices 2\n*Matrix\n0 1.5\n2 0\n"));
  CHECK(test::edges_of(file.names, file.edges) == "1>2 2>1");
  CHECK(file.edges.weights == std::vector<float>{1.5F, 2});
}

TEST_CASE("pajek refuses hostile files", "[io][pajek]") {
  const Files files;
  const auto read = [&](const std::string& text) { return io::read_pajek(files.write("bad.net", text)); };
  CHECK_THROWS_WITH(read("1 2\n"), Contains("bad.net:1: expected a line such as \"*Vertices 10\""));
  CHECK_THROWS_WITH(read("*Edges\n1 2\n"), Contains("bad.net:1: expected \"*Vertices\" before *Edges"));
  CHECK_THROWS_WITH(read("*Vertices 2\n3 a\n"), Contains("bad.net:2: expected a vertex from 1 to 2, got \"3\""));
  CHECK_THROWS_WITH(read("*Vertices 2\n1 a\n1 b\n"), Contains("bad.net:3: vertex 1 appears here a second time"));
  CHECK_THROWS_WITH(read("*Vertices 2\n*Edges\n1 0\n"), Contains("bad.net:3: expected a vertex"));
  CHECK_THROWS_WITH(read("*Vertices 2\n*Edges\n1\n"), Contains("bad.net:3: expected two vertices"));
  CHECK_THROWS_WITH(read("*Vertices 2\n1 \"a\n"), Contains("bad.net:2: a quote is opened"));
  CHECK_THROWS_WITH(read("*Vertices 2\n*Matrix\n1 2 3\n"), Contains("bad.net:3: expected 2 numbers"));
  CHECK_THROWS_WITH(read("*Vertices 2\n*Matrix\n1 2\n"), Contains("the matrix ends after 1 of 2 rows"));
  CHECK_THROWS_WITH(read("*Vertices 1\n*Matrix\n1\n1\n"), Contains("bad.net:4:"));
  CHECK_THROWS_WITH(read("*Vertices 2\n*Vertices 2\n"), Contains("bad.net:2: a second network"));
  CHECK_THROWS_WITH(read("*Vertices 4000000000\n"), Contains("bad.net:1: 4000000000 nodes, more than"));
  for (const char* text : {"", "*", "*Vertices", "*Vertices -1", "*Vertices 2\n*Edges\n2: 1\n", "*Vertices 2\nx"})
    CHECK_THROWS_AS(read(text), DataError);
  CHECK(read("*Vertices 0\n").names.size() == 0);
  CHECK_THROWS_AS(io::read_pajek(files.path("missing.net")), DataError);
}
