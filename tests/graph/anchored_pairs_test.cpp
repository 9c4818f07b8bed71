#include "edgewise/graph/anchored_pairs.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::graph;

using Nodes = std::vector<Node>;

TEST_CASE("Pairs are ordered by the end of larger degree", "[graph][anchored_pairs]") {
  // Node 1 has three neighbours, 2 and 3 have two each, 0 has one, 4 none.
  const Ties ties(5, Nodes{1, 1, 1, 2}, Nodes{0, 2, 3, 3}, Direction::undirected);
  const auto pairs = anchored_pairs(ties, Nodes{3, 0, 4, 2, 1, 4}, Nodes{2, 4, 1, 0, 2, 4}, OwnTie::keep);
  Nodes anchors, others;
  std::vector<std::size_t> rows;
  for (const AnchoredPair& pair : pairs) {
    anchors.push_back(pair.anchor);
    others.push_back(pair.other);
    rows.push_back(pair.row);
  }
  CHECK(anchors == Nodes{0, 1, 1, 2, 2, 4});
  CHECK(others == Nodes{4, 4, 2, 3, 0, 4});
  CHECK(rows == std::vector<std::size_t>{1, 2, 4, 0, 3, 5});
}

TEST_CASE("A pair lacks its own tie unless there is the reverse", "[graph][anchored_pairs]") {
  const Nodes sources = {0, 1, 1}, targets = {1, 0, 2};
  const auto pair = [&](Direction direction, Node source, Node target, OwnTie own_tie) {
    const Ties ties(3, sources, targets, direction);
    return anchored_pairs(ties, Nodes{source}, Nodes{target}, own_tie).front();
  };
  for (const auto& [source, target] : {std::pair<Node, Node>{1, 2}, {2, 1}}) {
    CHECK(pair(Direction::undirected, source, target, OwnTie::omit).lacks_tie);
    CHECK_FALSE(pair(Direction::undirected, source, target, OwnTie::omit).has_tie);
    CHECK(pair(Direction::undirected, source, target, OwnTie::keep).has_tie);
  }
  CHECK(pair(Direction::directed, 1, 2, OwnTie::omit).lacks_tie);
  CHECK_FALSE(pair(Direction::directed, 1, 2, OwnTie::omit).has_tie);
  CHECK_FALSE(pair(Direction::directed, 2, 1, OwnTie::omit).lacks_tie);
  CHECK(pair(Direction::directed, 2, 1, OwnTie::omit).has_tie);
  CHECK_FALSE(pair(Direction::directed, 0, 1, OwnTie::omit).lacks_tie);
  CHECK(pair(Direction::directed, 0, 1, OwnTie::omit).has_tie);
  CHECK_FALSE(pair(Direction::directed, 0, 2, OwnTie::keep).has_tie);
}

TEST_CASE("Pairs need two nodes each that exist", "[graph][anchored_pairs]") {
  const Ties ties(2, Nodes{0}, Nodes{1}, Direction::undirected);
  CHECK(anchored_pairs(ties, {}, {}, OwnTie::keep).empty());
  CHECK_THROWS_AS(anchored_pairs(ties, Nodes{0}, {}, OwnTie::keep), UsageError);
  CHECK_THROWS_AS(anchored_pairs(ties, Nodes{0}, Nodes{2}, OwnTie::keep), UsageError);
  CHECK_THROWS_AS(anchored_pairs(ties, Nodes{2}, Nodes{0}, OwnTie::keep), UsageError);
}
