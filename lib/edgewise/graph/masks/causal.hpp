#pragma once

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Decoder mask: node i attends to nodes 0 ... i of its graph, in row order. O(sum of squared graph sizes).
inline FrozenGraph causal_mask(std::span<const Node> offsets, std::size_t max_slots = kMaxMaskSlots) {
  return mask_from_rows("causal", offsets, max_slots, [](Node row, Node /*size*/, const auto& visit) {
    for (Node column = 0; column <= row; ++column) visit(column);
  });
}

}  // namespace edgewise::graph
