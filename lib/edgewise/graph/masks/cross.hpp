#pragma once

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Every node attends to the nodes of the other parts of its graph, such as the other molecules of a row. Part p, of
/// graph p / count, has nodes offsets[p] ... offsets[p + 1] - 1. O(sum of squared graph sizes). Throws UsageError if
/// there are no parts (count 0).
FrozenGraph cross_mask(std::span<const Node> offsets, std::size_t count, std::size_t max_slots = kMaxMaskSlots);

}  // namespace edgewise::graph
