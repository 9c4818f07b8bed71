#pragma once

#include <algorithm>
#include <cstdint>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// A `rows` x `columns` window on a grid. Each graph is a grid with `grid_columns` columns, its nodes in row-major
/// order (the last row may be short). A node attends to nodes at most rows / 2 rows and columns / 2 columns away; for
/// an even size, one less above and to the left. The window is clipped at the edges of the grid. O(nodes * rows *
/// columns). Throws UsageError if `grid_columns` is 0, which means there is no grid.
inline FrozenGraph grid_mask(std::span<const Node> offsets, std::uint32_t grid_columns, std::uint32_t rows,
                             std::uint32_t columns, std::size_t max_slots = kMaxMaskSlots) {
  if (grid_columns == 0)
    throw UsageError(std::string("mask grid: the nodes lie in no grid (").append(setting("data.grid")).append(")"));
  return mask_from_rows("grid", offsets, max_slots, [=](Node node, Node size, const auto& visit) {
    const std::int64_t width = grid_columns, row = node / grid_columns, column = node % grid_columns;
    const std::int64_t first_row = std::max<std::int64_t>(0, row - (std::int64_t{rows} - 1) / 2);
    const std::int64_t last_row = std::min<std::int64_t>(row + rows / 2, (std::int64_t{size} - 1) / width);
    const std::int64_t first = std::max<std::int64_t>(0, column - (std::int64_t{columns} - 1) / 2);
    const std::int64_t last = std::min<std::int64_t>(column + columns / 2, width - 1);
    for (std::int64_t r = first_row; r <= last_row; ++r)
      for (std::int64_t c = first; c <= last && r * width + c < size; ++c) visit(static_cast<Node>(r * width + c));
  });
}

}  // namespace edgewise::graph
