#include "edgewise/train/inputs/absent_ties.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/train/source/link_data.hpp"
#include "support/graph_of.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

using Nodes = std::vector<graph::Node>;

/// Reads `text` as pairs without a tie of a network with the ties 0 -> 1, 1 -> 2 and 3 -> 4.
struct Reading {
  test::TemporaryDirectory directory;
  train::Dataset data;
  std::vector<std::string> notes;

  explicit Reading(graph::Direction direction = graph::Direction::undirected) {
    data.name = "toy";
    data.graph = test::graph_of(5, {0, 1, 3}, {1, 2, 4}, direction);
    train::make_links(data);
  }
  graph::Ties read(const std::string& text) {
    const std::string path = directory.path("pairs.csv");
    std::ofstream(path) << text;
    const train::LinkItems& links = *data.links;
    const graph::Ties known(5, links.sources, links.targets, links.direction);
    return train::read_absent_ties(path, data, known, [this](const std::string& line) { notes.push_back(line); });
  }
};

Nodes nodes(std::span<const graph::Node> given) { return {given.begin(), given.end()}; }

}  // namespace

TEST_CASE("pairs without a tie are found by both ends", "[train][absent_ties]") {
  Reading reading;
  const graph::Ties absent = reading.read("source,target\n0,2\n4,0\n0,2\n");
  CHECK(nodes(absent.targets(0)) == Nodes{2, 4});
  CHECK(nodes(absent.sources(2)) == Nodes{0});
  CHECK(reading.notes.empty());
}

TEST_CASE("pairs that are ties are left out with a note", "[train][absent_ties]") {
  Reading reading;
  const graph::Ties absent = reading.read("0,2\n1,0\n4,3\n");
  CHECK(nodes(absent.targets(0)) == Nodes{2});
  CHECK(nodes(absent.targets(4)).empty());
  REQUIRE(reading.notes.size() == 1);
  CHECK_THAT(reading.notes[0], Contains("pairs.csv: leaves out 2 pairs that are ties of the network"));
  Reading directed(graph::Direction::directed);
  CHECK(nodes(directed.read("1,0\n").targets(1)) == Nodes{0});
  CHECK(directed.notes.empty());
}

TEST_CASE("files of pairs without a tie that say nothing are refused", "[train][absent_ties]") {
  Reading reading;
  CHECK_THROWS_WITH(reading.read("0,1\n2,1\n"), Contains("pairs.csv: all pairs there are ties of the network"));
  CHECK_THROWS_WITH(reading.read("0,2\n0,7\n"), Contains("pairs.csv:2: \"7\" is not one of the 5 nodes"));
  reading.data.links->has_two_sides = true;
  reading.data.links->sides = {0, 1, 0, 0, 1};
  CHECK_THROWS_WITH(reading.read("0,4\n0,2\n"),
                    Contains("pairs.csv:2: \"2\" is not one of the nodes that ties lead to"));
}
