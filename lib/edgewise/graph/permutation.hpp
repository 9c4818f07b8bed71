#pragma once

#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Permuting nodes. An *order* is a permutation of the nodes: `order[i]` is the node to put at position i. See
/// ordering.hpp for useful orders. All functions throw UsageError if `order` is not a permutation of the right size,
/// and return empty results for empty input.
namespace edgewise::graph {

/// The new position of each node: `place[order[i]] == i`. This is the order that undoes `order`.
std::vector<Node> inverse(std::span<const Node> order);

/// For each slot of `permute(graph, order)`, the corresponding slot of `graph`. O(nodes + slots).
std::vector<StoredEdge> permuted_slots(const FrozenGraph& graph, std::span<const Node> order);

/// Renumbers both the destinations and the sources, which must be the same nodes. `edge` (the user's edge of a slot)
/// and the edge features move along. Columns ascend within each row, with equal ones in their original order. If the
/// columns of `graph` ascend too, permuting by the inverse order restores `graph`.
FrozenGraph permute(const FrozenGraph& graph, std::span<const Node> order);

/// Row i is row order[i] of `rows`.
Matrix permute_rows(ConstMatrixRef rows, std::span<const Node> order);

}  // namespace edgewise::graph
