#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("sif lists a node, a relation and nodes", "[io][sif]") {
  const Files files;
  const auto file = io::read_sif(files.write("a.sif", "a pp b c\nb pd a\n\nalone\r\n"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "a>b a>c b>a");
  CHECK(file.names.size() == 4);
  REQUIRE(file.notes.size() == 1);
  CHECK_THAT(file.notes[0], Contains("2 relations (\"pd\", \"pp\") are read as one kind of edge"));
  CHECK(file.unused_edge_attributes.empty());
  const auto kinds = io::read_sif(files.path("a.sif"), {.edge_features = {"interaction"}});
  CHECK(kinds.edges.feature_names == std::vector<std::string>{"interaction = pd", "interaction = pp"});
  CHECK(kinds.notes.empty());
}

TEST_CASE("tabs win over blanks in sif", "[io][sif]") {
  const Files files;
  const auto file = io::read_sif(files.write("a.sif", "New York\tflies to\tLos Angeles\nSan Jose\n"));
  CHECK(test::edges_of(file.names, file.edges) == "New York>Los Angeles");
  CHECK(file.names[2] == "San Jose");
  CHECK(file.notes.empty());  // one relation
}

TEST_CASE("sif refuses two fields", "[io][sif]") {
  const Files files;
  CHECK_THROWS_WITH(io::read_sif(files.write("bad.sif", "a pp b\na b\n")),
                    Contains("bad.sif:2: expected a node, a relation and nodes"));
  CHECK_THROWS_WITH(io::read_sif(files.write("bad.sif", "")), Contains("bad.sif: is empty"));
  CHECK_THROWS_AS(io::read_sif(files.write("bad.sif", "a\xff pp b")), DataError);
  CHECK_THROWS_AS(io::read_sif(files.path("missing.sif")), DataError);
}
