#pragma once

#include <cstdint>

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Truncated attention on a graph: v attends to every u from which a path u -> ... -> v of at most `hops` edges leads
/// to v, and to itself where `edges` has a self loop. The k-th power of the graph, by one truncated breadth-first
/// search per node.
///
/// The features say how far each slot's source is: [slots, hops + 1], column d is 1 for a shortest path of d edges and
/// 0 otherwise (d = 0: the node itself).
///
/// Costs what the searches visit; the same bits at any number of threads. Without edges the mask is empty. Throws
/// UsageError rather than make more than `max_slots`: a few hops soon reach everything.
FrozenGraph k_hop_mask(const FrozenGraph& edges, std::uint32_t hops, std::size_t max_slots = kMaxMaskSlots);

}  // namespace edgewise::graph
