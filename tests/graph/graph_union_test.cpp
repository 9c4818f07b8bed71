#include "edgewise/graph/graph_union.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

/// A path of three, an empty graph, a pair, and a single node with a self loop.
GraphUnion four_graphs() {
  EdgeList edges;
  edges.sources = {0, 1, 3, 5};
  edges.targets = {1, 2, 4, 5};
  edges.features = Matrix(4, 2);
  edges.features << 1, 2, 3, 4, 5, 6, 7, 8;
  const Graph graph(NodeNames::numbered(6), edges);
  return {freeze(graph), {0, 3, 3, 5, 6}};
}

}  // namespace

TEST_CASE("A selection has the graphs in the given order, shifted", "[graph]") {
  const GraphUnion all = four_graphs();
  const GraphIndex members[] = {2, 0, 1};
  const GraphUnion part = select(all, members);
  CHECK(part.offsets == std::vector<Node>{0, 2, 5, 5});
  CHECK(part.graph.incoming.offsets == std::vector<EdgeIndex>{0, 1, 2, 3, 5, 6});
  CHECK(part.graph.incoming.columns == std::vector<Node>{1, 0, 3, 2, 4, 3});
  CHECK(part.graph.edge == std::vector<StoredEdge>{2, 2, 0, 0, 1, 1});
  CHECK(part.graph.edge_features(0, 1) == 6);
  CHECK(part.graph.edge_features(4, 0) == 3);
  CHECK(nodes_of(all.offsets, members) == std::vector<Node>{3, 4, 0, 1, 2});
}

TEST_CASE("A selection equals a mask frozen from its rows", "[graph]") {
  const GraphUnion all = four_graphs();
  const GraphIndex members[] = {3, 0, 2};
  const GraphUnion part = select(all, members);
  const FrozenGraph frozen = freeze(part.graph.incoming, 6);
  CHECK(frozen.outgoing.offsets == part.graph.outgoing.offsets);
  CHECK(frozen.outgoing.columns == part.graph.outgoing.columns);
  CHECK(frozen.outgoing_slot == part.graph.outgoing_slot);
  CHECK(frozen.incoming_chunks == part.graph.incoming_chunks);
}

TEST_CASE("An empty selection is an empty union", "[graph]") {
  const GraphUnion part = select(four_graphs(), {});
  CHECK(part.graph_count() == 0);
  CHECK(part.graph.destination_count() == 0);
}

TEST_CASE("A selection refuses edges that leave their graph, and graphs beyond the nodes", "[graph]") {
  const GraphIndex first[] = {0}, third[] = {2};
  GraphUnion crossing = four_graphs();
  crossing.offsets = {0, 2, 3, 5, 6};  // through the path of three
  CHECK_THROWS_AS(select(crossing, first), UsageError);
  CHECK_THROWS_WITH(select(crossing, first), "select: an edge leaves the graph of the nodes from 0 to 2");
  CHECK(select(crossing, third).graph.slot_count() == 2);
  const GraphUnion passed_over{freeze(Csr{.offsets = {0, 1, 1, 1}, .columns = {2}}, 3), {0, 1, 2, 3}};
  const GraphIndex second[] = {1};
  CHECK_THROWS_AS(select(passed_over, second), UsageError);
  GraphUnion beyond = four_graphs();
  beyond.offsets = {0, 3, 3, 9};
  CHECK_THROWS_WITH(select(beyond, third),
                    "select: expected offsets that ascend to the number of nodes, 6, got 3 and 9");
  beyond.offsets = {0, 3, 5, 2};
  CHECK_THROWS_AS(select(beyond, third), UsageError);
  beyond.offsets.clear();
  CHECK_THROWS_AS(select(beyond, first), UsageError);
}
