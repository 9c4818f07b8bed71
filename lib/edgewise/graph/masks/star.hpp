#pragma once

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// The first node of each graph attends to all of its nodes; every other node attends to the first and to itself.
/// O(nodes).
inline FrozenGraph star_mask(std::span<const Node> offsets, std::size_t max_slots = kMaxMaskSlots) {
  return mask_from_rows("star", offsets, max_slots, [](Node row, Node size, const auto& visit) {
    visit(0);
    if (row > 0) return visit(row);
    for (Node column = 1; column < size; ++column) visit(column);
  });
}

}  // namespace edgewise::graph
