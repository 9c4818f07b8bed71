#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("neo4j exports nodes and relationships in one table", "[io][exported_table]") {
  const Files files;
  const std::string header = "\"_id\",\"_labels\",\"age\",\"name\",\"_start\",\"_end\",\"_type\",\"since\"\n";
  const auto file = io::read_neo4j_export(files.write("a.csv", header + R"("0",":Person","36","Ada",,,,
"1",":Person",,"Bob",,,,
"2",":City",,"Rome",,,,
,,,,"0","1","KNOWS","1999"
,,,,"1","2","LIVES_IN","2001"
)"));
  CHECK(file.direction == graph::Direction::directed);
  CHECK(test::edges_of(file.names, file.edges) == "0>1 1>2");
  CHECK(file.nodes.at("age").numbers[0] == 36);
  CHECK(file.nodes.at("age").is_missing(1));
  CHECK(file.nodes.at("_labels").categories == std::vector<std::string>{":City", ":Person"});
  CHECK(file.edges.feature_names == std::vector<std::string>{"since"});
  REQUIRE(file.notes.size() == 2);
  CHECK_THAT(file.notes[0], Contains("2 relations (\"KNOWS\", \"LIVES_IN\")"));
  CHECK_THAT(file.notes[1], Contains("2 kinds of nodes (\":City\", \":Person\")"));

  const auto read = [&](const std::string& rows) {
    return io::read_neo4j_export(files.write("bad.csv", header + rows));
  };
  CHECK_THROWS_WITH(read("0,,,,,,,\n,,,,0,7,KNOWS,\n"), Contains("bad.csv:3: unknown node \"7\""));
  CHECK_THROWS_WITH(read("0,,,,,,,\n0,,,,,,,\n"), Contains("bad.csv:3: node \"0\" appears here a second time"));
  CHECK_THROWS_WITH(read(",,,,0,,KNOWS,\n"), Contains("bad.csv:2: expected a node in \"_id\""));
  CHECK_THROWS_WITH(read("0,,\n"), Contains("bad.csv:2: expected 8 fields"));
  CHECK_THROWS_AS(io::read_neo4j_export(files.write("bad.csv", "")), DataError);
  CHECK(read("").names.size() == 0);
}

TEST_CASE("cytoscape exports edges under their names", "[io][exported_table]") {
  const Files files;
  const auto file = io::read_cytoscape_edges(
      files.write("a.csv", "\"SUID\",\"Strength\",\"interaction\",\"name\",\"selected\",\"shared interaction\","
                           "\"shared name\"\n"
                           "\"7\",\"0.5\",\"pp\",\"x\",\"false\",\"pp\",\"A b (pp) C (x)\"\n"
                           "\"8\",\"1.5\",\"pd\",\"y\",\"false\",\"pd\",\"C (x) (pd) D\"\n"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "A b>C (x) C (x)>D");
  CHECK(file.edges.feature_names == std::vector<std::string>{"Strength"});
  CHECK(file.unused_edge_attributes.empty());
  CHECK(file.notes.size() == 1);  // two relations

  const auto read = [&](const std::string& name) {
    return io::read_cytoscape_edges(files.write("bad.csv", "SUID,interaction,name\n1,pp," + name + "\n"));
  };
  CHECK(test::edges_of(read("A (pp) B").names, read("A (pp) B").edges) == "A>B");
  for (const char* name : {"A", "A (pd) B", " (pp) B", "A (pp) B (pp) C", ""}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(read(name), Contains("bad.csv:2: expected two nodes as in \"A (pp) B\""));
  }
}

TEST_CASE("exported tables are known by their columns", "[io][exported_table]") {
  CHECK(io::is_neo4j_export({"_id", "_labels", "_start", "_end", "_type"}));
  CHECK_FALSE(io::is_neo4j_export({"_id", "name"}));
  CHECK(io::is_cytoscape_edges({"SUID", "interaction", "name"}));
  CHECK(io::is_cytoscape_edges({"interaction", "shared name"}));
  CHECK_FALSE(io::is_cytoscape_edges({"source", "target", "interaction", "name"}));
}
