#include "edgewise/attention/fused/row_blocks.hpp"

#include <bit>

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

std::size_t block_count(std::size_t rows, std::size_t row_bytes, const graph::Csr& csr) {
  // Bits depend on the blocks (the gradient of the attention vector), so the cache is a typical one, not that of the
  // machine: 32 MiB at the third level, of which a table can fill half, or a part of it two fifths while others come.
  constexpr std::size_t kCache = std::size_t{32} << 20, kPart = 2 * kCache / 5;
  constexpr std::size_t kFewEdges = 2, kManyEdges = 16;  // of a row in a block
  constexpr std::size_t kMost = 64;
  const std::size_t bytes = rows * row_bytes;
  if (bytes <= kCache / 2 || csr.slots() == 0) return 1;
  std::size_t count = std::bit_ceil((bytes + kPart - 1) / kPart);
  while (csr.slots() >= kManyEdges * 2 * count * csr.rows() && bytes > count * kPart / 4) count *= 2;
  const bool is_many = csr.slots() >= kFewEdges * count * csr.rows();
  return is_many && count <= kMost ? count : 1;
}

}  // namespace edgewise::attention::fused
