#pragma once

#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Nodes put at other places. An *order* is a permutation of the nodes: `order[i]` is the node to be put at place i.
/// The orders worth having are in ordering.hpp. All here throw UsageError when `order` is no permutation of what there
/// is, and do nothing to what is empty.
namespace edgewise::graph {

/// Where each node goes: `place[order[i]] == i`; itself an order, the one that puts everything back.
std::vector<Node> inverse(std::span<const Node> order);

/// Of each slot of `permute(graph, order)`: the slot of `graph` that it was. O(nodes + slots).
std::vector<StoredEdge> permuted_slots(const FrozenGraph& graph, std::span<const Node> order);

/// The same edges between nodes at their new places, on both sides. `edge` (the user's edge of a slot) and the edge
/// features go along. Rows have their columns in ascending order, equal ones as they stood; so where those of `graph`
/// have too, permuting by the inverse order gives back `graph`. Destinations and sources must be the same nodes.
FrozenGraph permute(const FrozenGraph& graph, std::span<const Node> order);

/// Row i is row order[i] of `rows`.
Matrix permute_rows(ConstMatrixRef rows, std::span<const Node> order);

}  // namespace edgewise::graph
