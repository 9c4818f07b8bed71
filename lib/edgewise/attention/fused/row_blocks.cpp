#include "edgewise/attention/fused/row_blocks.hpp"

namespace edgewise::attention::fused {

Tiles::Tiles(const graph::Csr& csr, const std::vector<Node>& row_chunks, std::size_t columns, std::size_t column_bytes,
             std::size_t near_bytes)
    : chunks(row_chunks), all_columns(columns) {
  constexpr std::size_t kMinRows = 16;   // with fewer, too little is reused
  constexpr std::size_t kMinEdges = 64;  // per row and tile, on average
  const std::size_t tile = std::max<std::size_t>(1, near_bytes / column_bytes), tiles = (columns + tile - 1) / tile;
  const bool are_near = columns * column_bytes <= 2 * near_bytes;
  if (are_near || csr.rows() < kMinRows || csr.slots() < kMinEdges * tiles * csr.rows()) return;
  columns_at_once = tile;
  chunks.clear();
  for (std::size_t row = 0; row < csr.rows(); row += kMaxRows) chunks.push_back(static_cast<Node>(row));
  chunks.push_back(static_cast<Node>(csr.rows()));
}

}  // namespace edgewise::attention::fused
