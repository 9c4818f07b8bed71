#include "edgewise/attention/fused/traversal/row_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace edgewise::attention::fused {
namespace {

template <class Rows>
void for_each_block_of(const Rows& rows, std::size_t begin, std::size_t end, int edges, const BlockBody& body) {
  const auto most = static_cast<EdgeIndex>(edges);
  std::array<RowPart, kMaxRows> parts;
  for (std::size_t i = begin; i < end;) {
    const RowEdges first = rows[i];
    if (first.count > most) {
      for (EdgeIndex from = 0; from < first.count; from += most) {
        parts[0] = first.part(from, static_cast<int>(std::min(most, first.count - from)), 0);
        body(RowBlock{rows.csr, parts.data(), 1, parts[0].end, &rows.columns(), first.position + from});
      }
      ++i;
      continue;
    }
    int taken = 0;
    EdgeIndex count = 0;
    for (const std::size_t limit = std::min(end, i + kMaxRows); i < limit; ++i, ++taken) {
      const RowEdges next = rows[i];
      if (count + next.count > most) break;
      parts[static_cast<std::size_t>(taken)] = next.part(0, static_cast<int>(next.count), static_cast<int>(count));
      count += next.count;
    }
    body(RowBlock{rows.csr, parts.data(), taken, static_cast<int>(count), &rows.columns(), first.position});
  }
}

/// A block is a part of one row: first come the edges of all rows in the first tile of columns, then those in the next.
/// Columns must ascend in each row.
void for_each_tiled_block(const graph::Csr& csr, Node begin, Node end, const Tiles& tiles, int edges,
                          const BlockBody& body) {
  constexpr Node kRowsAhead = 2;
  const auto most = static_cast<EdgeIndex>(edges);
  const EdgeIndex* offsets = csr.offsets.data();
  const Node* columns = csr.columns.data();
  std::array<EdgeIndex, kMaxRows + kRowsAhead> slots{};
  std::copy(offsets + begin, offsets + end, slots.begin());
  for (std::size_t first = 0; first < tiles.all_columns; first += tiles.columns_at_once)
    for (Node row = begin; row < end; ++row) {
      EdgeIndex& slot = slots[row - begin];
      prefetch(columns + slots[row - begin + kRowsAhead], 0, edges);
      while (true) {
        const EdgeIndex row_begin = offsets[row], row_end = offsets[row + 1];
        const int count = count_below(columns + slot, std::min(most, row_end - slot), first + tiles.columns_at_once);
        if (count == 0 && (first > 0 || row_begin < row_end)) break;
        const RowPart part = RowEdges{row, slot, slot, row_end - slot, slot == row_begin, true}.part(0, count, 0);
        body(RowBlock{csr, &part, 1, count, &csr.columns, slot});
        slot += static_cast<EdgeIndex>(count);
        if (count < edges) break;
      }
    }
}

}  // namespace

void for_each_row_block(const graph::Csr& csr, std::size_t begin, std::size_t end, int edges, const BlockBody& body) {
  for_each_block_of(WholeRows{csr}, begin, end, edges, body);
}

void Traversal::for_each_block(std::size_t column_block, std::size_t chunk, int edges, const BlockBody& body) const {
  const Node begin = tiles.chunks[chunk], end = tiles.chunks[chunk + 1];
  if (tiles.are_used()) return for_each_tiled_block(csr, begin, end, tiles, edges, body);
  if (blocks == nullptr) return for_each_row_block(csr, begin, end, edges, body);
  const std::uint32_t* first = blocks->begins.data() + column_block * chunks() + chunk;
  for_each_block_of(RowSegments{csr, *blocks}, first[0], first[1], edges, body);
}

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
