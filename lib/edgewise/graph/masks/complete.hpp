#pragma once

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Every node attends to all nodes of its graph, including itself. O(sum of squared graph sizes).
inline FrozenGraph complete_mask(std::span<const Node> offsets, std::size_t max_slots = kMaxMaskSlots) {
  return mask_from_rows("complete", offsets, max_slots, [](Node /*row*/, Node size, const auto& visit) {
    for (Node column = 0; column < size; ++column) visit(column);
  });
}

}  // namespace edgewise::graph
