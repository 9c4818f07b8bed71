#include "edgewise/graph/without_edges.hpp"

#include <catch2/catch.hpp>

#include "support/gradient_check.hpp"
#include "support/graph_of.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

/// A ring of six with two chords, features on the edges.
EdgeList ring() {
  EdgeList edges;
  edges.sources = {0, 1, 2, 3, 4, 5, 0, 1};
  edges.targets = {1, 2, 3, 4, 5, 0, 3, 4};
  edges.features = test::random_matrix(8, 2, 1);
  return edges;
}

EdgeList ring_without(const std::vector<bool>& is_dropped) {
  const EdgeList all = ring();
  EdgeList left;
  std::vector<Eigen::Index> rows;
  for (std::size_t e = 0; e < all.size(); ++e) {
    if (is_dropped[e]) continue;
    left.sources.push_back(all.sources[e]);
    left.targets.push_back(all.targets[e]);
    rows.push_back(static_cast<Eigen::Index>(e));
  }
  left.features = all.features(rows, Eigen::all);
  return left;
}

}  // namespace

TEST_CASE("a graph without some edges is the one that never had them", "[graph][without_edges]") {
  const Direction direction = GENERATE(Direction::directed, Direction::undirected);
  const FreezeOptions options{.self_loops = AddSelfLoops::yes};
  const std::vector<bool> is_dropped = {false, true, false, false, true, true, false, false};
  const NodeNames names = NodeNames::numbered(6);
  const FrozenGraph whole = freeze(Graph(names, ring(), {.direction = direction}), options);
  const FrozenGraph expected = freeze(Graph(names, ring_without(is_dropped), {.direction = direction}), options);
  const FrozenGraph left = without_edges(whole, is_dropped);
  CHECK(left.incoming.offsets == expected.incoming.offsets);
  CHECK(left.incoming.columns == expected.incoming.columns);
  CHECK(left.outgoing.offsets == expected.outgoing.offsets);
  CHECK(left.outgoing.columns == expected.outgoing.columns);
  CHECK(left.outgoing_slot == expected.outgoing_slot);
  CHECK(left.incoming_position == expected.incoming_position);
  CHECK((left.edge_features - expected.edge_features).norm() < 1e-6F);
  for (std::size_t slot = 0; slot < left.slot_count(); ++slot)
    CHECK((left.edge[slot] == kAddedSelfLoop || !is_dropped[left.edge[slot]]));
}

TEST_CASE("a graph can lose all its edges, or none", "[graph][without_edges]") {
  const FrozenGraph whole = freeze(test::graph_of(3, {0, 1}, {1, 2}), {.self_loops = AddSelfLoops::yes});
  CHECK(without_edges(whole, {true, true}).incoming.columns == std::vector<Node>{0, 1, 2});
  CHECK(without_edges(whole, {false, false}).incoming.columns == whole.incoming.columns);
}
