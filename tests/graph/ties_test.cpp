#include "edgewise/graph/ties.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

using Nodes = std::vector<Node>;

Nodes list(std::span<const Node> nodes) { return {nodes.begin(), nodes.end()}; }
Nodes list(const std::set<Node>& nodes) { return {nodes.begin(), nodes.end()}; }

}  // namespace

TEST_CASE("Ties are kept once, without loops", "[graph][ties]") {
  const Nodes sources = {3, 1, 1, 2, 1, 4}, targets = {1, 3, 3, 2, 0, 4};
  const Ties undirected(6, sources, targets, Direction::undirected);
  CHECK(undirected.node_count() == 6);
  CHECK(undirected.direction() == Direction::undirected);
  CHECK(list(undirected.neighbours(1)) == Nodes{0, 3});
  CHECK(list(undirected.targets(0)) == Nodes{1});
  CHECK(list(undirected.sources(0)) == Nodes{1});
  CHECK(undirected.degree(2) == 0);
  CHECK(undirected.degree(5) == 0);
  CHECK(undirected.contains(0, 1));
  CHECK_FALSE(undirected.contains(4, 4));
  const Ties directed(6, sources, targets, Direction::directed);
  CHECK(list(directed.neighbours(1)) == Nodes{0, 3});
  CHECK(list(directed.targets(1)) == Nodes{0, 3});
  CHECK(list(directed.sources(1)) == Nodes{3});
  CHECK(directed.degree(1) == 2);
  CHECK(directed.contains(1, 0));
  CHECK_FALSE(directed.contains(0, 1));
}

TEST_CASE("Ties agree with a set of pairs", "[graph][ties]") {
  constexpr std::size_t kNodes = 30;
  Random random(5, Stream::generate);
  for (const Direction direction : {Direction::directed, Direction::undirected}) {
    Nodes sources, targets;
    std::set<std::pair<Node, Node>> pairs;
    for (int i = 0; i < 200; ++i) {
      // Node 0 is a hub, and the last five have no ties.
      const auto source = static_cast<Node>(i % 3 == 0 ? 0 : random.below(kNodes - 5));
      const auto target = static_cast<Node>(random.below(kNodes - 5));
      sources.push_back(source);
      targets.push_back(target);
      if (source != target) pairs.emplace(source, target);
      if (source != target && direction == Direction::undirected) pairs.emplace(target, source);
    }
    const Ties ties(kNodes, sources, targets, direction);
    for (Node u = 0; u < kNodes; ++u) {
      std::set<Node> out, in;
      for (Node v = 0; v < kNodes; ++v) {
        CHECK(ties.contains(u, v) == pairs.contains({u, v}));
        if (pairs.contains({u, v})) out.insert(v);
        if (pairs.contains({v, u})) in.insert(v);
      }
      CHECK(list(ties.targets(u)) == list(out));
      CHECK(list(ties.sources(u)) == list(in));
      out.merge(in);
      CHECK(list(ties.neighbours(u)) == list(out));
    }
  }
}

TEST_CASE("Ties need two nodes each that exist", "[graph][ties]") {
  CHECK(Ties().node_count() == 0);
  CHECK(Ties(0, {}, {}, Direction::directed).node_count() == 0);
  CHECK_THROWS_AS(Ties(2, Nodes{0, 1}, Nodes{1}, Direction::directed), UsageError);
  CHECK_THROWS_AS(Ties(2, Nodes{0}, Nodes{2}, Direction::directed), UsageError);
  CHECK_THROWS_AS(Ties(2, Nodes{2}, Nodes{0}, Direction::undirected), UsageError);
}
