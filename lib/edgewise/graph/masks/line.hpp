#pragma once

#include <span>

#include "edgewise/graph/masks/rows.hpp"

/// @file
/// Edges as nodes. Each user's edge is one row, regardless of direction; added self loops get no row.
/// The masks throw UsageError for edges between two node sets.
namespace edgewise::graph {

/// The first slot of each edge, in ascending order. O(slots log slots).
std::vector<EdgeIndex> edge_slots(const FrozenGraph& edges);

/// One row per entry of `edge_slots`: the edge's features, or a column of ones if edges have none.
Matrix edge_rows(const FrozenGraph& edges);

/// The number of columns of `edge_rows`, given the number of edge features.
inline int edge_row_width(int edge_features) { return edge_features > 0 ? edge_features : 1; }

/// Edges to edges (the line graph): an edge attends to itself and to the edges that share a node with it. The number of
/// slots is roughly the sum of the squared node degrees. Throws UsageError if it would exceed `max_slots`.
FrozenGraph line_mask(const FrozenGraph& edges, std::size_t max_slots = kMaxMaskSlots);

/// The slots of the line graph of the largest of the graphs with nodes offsets[g] ... offsets[g + 1] - 1, half a slot
/// less for a self loop; an upper bound if some edges join the same two nodes. O(edges).
double line_slots(const FrozenGraph& edges, std::span<const Node> offsets);

/// Nodes to edges: an edge attends to its two endpoints.
FrozenGraph ends_mask(const FrozenGraph& edges);

/// Edges to nodes: a node attends to its incident edges.
FrozenGraph incident_mask(const FrozenGraph& edges);

}  // namespace edgewise::graph
