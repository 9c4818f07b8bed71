#pragma once

#include <cstdint>
#include <span>

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Truncated attention on a graph: v attends to every u with a path u -> ... -> v of at most `hops` edges, and to
/// itself if `edges` has the self loop. This is the k-th power of the graph, computed by one truncated breadth-first
/// search per node.
///
/// The features encode the distance to each slot's source: [slots, hops + 1], with column d being 1 if the shortest
/// path has d edges and 0 otherwise (d = 0: the node itself).
///
/// Cost is proportional to what the searches visit; the result is bitwise identical at any number of threads. Without
/// edges the mask is empty. Throws UsageError for edges between two node sets, and before the work if there would be
/// more than `max_slots` slots: a few hops soon reach every node.
FrozenGraph k_hop_mask(const FrozenGraph& edges, std::uint32_t hops, std::size_t max_slots = kMaxMaskSlots);

/// The slots of the largest of the graphs with nodes offsets[g] ... offsets[g + 1] - 1, which no edge may leave. An
/// upper bound if that is at most `most`, in O(hops * edges); else the number itself, or if that is larger than `most`,
/// a lower bound above it.
double k_hop_slots(const FrozenGraph& edges, std::span<const Node> offsets, std::uint32_t hops, double most);

}  // namespace edgewise::graph
