#pragma once

#include <algorithm>
#include <cstdint>

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Causal half of a band: node i attends to nodes i - w ... i of its graph, in row order. O(nodes * w).
inline FrozenGraph causal_band_mask(std::span<const Node> offsets, std::uint32_t width,
                                    std::size_t max_slots = kMaxMaskSlots) {
  return mask_from_rows("causal_band", offsets, max_slots, [width](Node row, Node /*size*/, const auto& visit) {
    for (Node column = row - std::min(row, width); column <= row; ++column) visit(column);
  });
}

}  // namespace edgewise::graph
