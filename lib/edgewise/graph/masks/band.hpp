#pragma once

#include <algorithm>
#include <cstdint>

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Truncated self-attention: node i attends to nodes i - w ... i + w of its graph, in row order. O(nodes * w).
inline FrozenGraph band_mask(std::span<const Node> offsets, std::uint32_t width,
                             std::size_t max_slots = kMaxMaskSlots) {
  return mask_from_rows("band", offsets, max_slots, [width](Node row, Node size, const auto& visit) {
    const Node begin = row - std::min(row, width), last = row + std::min(size - 1 - row, width);
    for (Node column = begin; column <= last; ++column) visit(column);
  });
}

}  // namespace edgewise::graph
