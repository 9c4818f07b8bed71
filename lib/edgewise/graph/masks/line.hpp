#pragma once

#include "edgewise/graph/masks/rows.hpp"

/// @file
/// Edges as nodes. An edge of the user's is a row of its own, whichever way it is gone along; added self loops are
/// none.
namespace edgewise::graph {

/// The edges of `edges`, in the order of the first slot of each: that slot. O(slots log slots).
std::vector<EdgeIndex> edge_slots(const FrozenGraph& edges);

/// A row for each of `edge_slots`: its features, or a column of ones where edges have none.
Matrix edge_rows(const FrozenGraph& edges);

/// The columns of `edge_rows` where edges have so many features.
inline int edge_row_width(int edge_features) { return edge_features > 0 ? edge_features : 1; }

/// From edge to edge, the line graph: an edge attends to itself and to those that share a node with it. Slots are the
/// squares of the degrees of the nodes, about. Throws UsageError when there would be more than `max_slots`.
FrozenGraph line_mask(const FrozenGraph& edges, std::size_t max_slots = kMaxMaskSlots);

/// From nodes to edges: an edge attends to the nodes that it joins.
FrozenGraph ends_mask(const FrozenGraph& edges);

/// From edges to nodes: a node attends to the edges that join it to others.
FrozenGraph incident_mask(const FrozenGraph& edges);

}  // namespace edgewise::graph
