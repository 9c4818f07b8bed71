#pragma once

#include <algorithm>
#include <array>

#include "edgewise/attention/fused/layout.hpp"

/// @file
/// A chunk of rows is processed in blocks whose scores stay in the L1 cache: many short rows at once, so that the
/// operations on scores fill whole vectors, or a part of one long row.
namespace edgewise::attention::fused {

/// The edges of a row in a block: `begin` to `end`, counted from the first edge of the block.
struct RowPart {
  Node row;
  int index;  ///< Of the row in the block.
  int begin;
  int end;
};

/// Consecutive rows with all their edges, or one row with some of its edges.
struct RowBlock {
  const EdgeIndex* offsets;
  Node row;  ///< The first one.
  int rows;
  EdgeIndex slot;  ///< Of the first edge.
  int count;       ///< Number of edges.
  bool is_first;   ///< Whether the rows begin in this block.
  bool is_last;    ///< Whether the rows end in this block.
  int index = 0;   ///< Of the row in its chunk, if the rows of a chunk take turns (tiles).

  RowPart part(int r) const {
    if (rows == 1) return {row, index, 0, count};
    const EdgeIndex* of = offsets + row + r;
    return {row + static_cast<Node>(r), r, static_cast<int>(of[0] - slot), static_cast<int>(of[1] - slot)};
  }
  EdgeIndex edges_of_row(int r) const {
    return offsets[row + static_cast<Node>(r) + 1] - offsets[row + static_cast<Node>(r)];
  }
};

/// The maximum number of rows in a block.
inline constexpr int kMaxRows = 64;

/// Calls body(block) for the rows from `begin` to `end`, with at most kEdges edges per block.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_row_block(const graph::Csr& csr, Node begin, Node end, Body&& body) {
  const EdgeIndex* offsets = csr.offsets.data();
  for (Node row = begin; row < end;) {
    const EdgeIndex from = offsets[row];
    const Node limit = std::min<Node>(end, row + kMaxRows);
    Node last = row;
    while (last < limit && offsets[last + 1] - from <= kEdges) ++last;
    if (last > row) {
      body(RowBlock{offsets, row, static_cast<int>(last - row), from, static_cast<int>(offsets[last] - from), true,
                    true});
      row = last;
      continue;
    }
    for (EdgeIndex slot = from; slot < offsets[row + 1]; slot += kEdges) {
      const EdgeIndex left = offsets[row + 1] - slot;
      body(RowBlock{offsets, row, 1, slot, static_cast<int>(std::min<EdgeIndex>(kEdges, left)), slot == from,
                    left <= kEdges});
    }
    ++row;
  }
}

/// The order in which a pass traverses the edges of a mask. If rows are long and the tables to gather from exceed the
/// L2 cache, all rows of a chunk process one tile of columns before the next, so that the columns they share are read
/// from that cache.
struct Tiles {
  std::vector<Node> chunks;         ///< Of rows, at most kMaxRows per chunk if there are tiles.
  std::size_t all_columns = 0;      ///< Columns of the mask.
  std::size_t columns_at_once = 0;  ///< Columns of a tile; 0: no tiles, each row is processed as a whole.

  bool are_used() const { return columns_at_once > 0; }

  /// No tiles.
  explicit Tiles(const std::vector<Node>& row_chunks) : chunks(row_chunks) {}
  /// column_bytes: the bytes gathered per column, from all tables together; near_bytes: those of a tile.
  Tiles(const graph::Csr& csr, const std::vector<Node>& row_chunks, std::size_t columns, std::size_t column_bytes,
        std::size_t near_bytes);
};

/// How many of the `count` ascending `values` are below `limit`.
template <class Value>
EDGEWISE_INLINE int count_below(const Value* values, EdgeIndex count, EdgeIndex limit) {
  if (count == 0 || values[count - 1] < limit) return static_cast<int>(count);
  return static_cast<int>(std::lower_bound(values, values + count, limit) - values);
}

/// Calls body(block) for the rows from `begin` to `end`. A block is a part of one row with at most kEdges edges: first
/// come the edges of all rows in the first tile of columns, then those in the next. Columns must ascend in each row.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_tiled_block(const graph::Csr& csr, Node begin, Node end, const Tiles& tiles,
                                          Body&& body) {
  constexpr Node kRowsAhead = 2;
  const EdgeIndex* offsets = csr.offsets.data();
  const Node* columns = csr.columns.data();
  std::array<EdgeIndex, kMaxRows + kRowsAhead> slots{};
  std::copy(offsets + begin, offsets + end, slots.begin());
  for (std::size_t first = 0; first < tiles.all_columns; first += tiles.columns_at_once)
    for (Node row = begin; row < end; ++row) {
      EdgeIndex& slot = slots[row - begin];
      prefetch(columns + slots[row - begin + kRowsAhead], 0, kEdges);
      while (true) {
        const EdgeIndex row_begin = offsets[row], row_end = offsets[row + 1];
        const int count =
            count_below(columns + slot, std::min<EdgeIndex>(kEdges, row_end - slot), first + tiles.columns_at_once);
        if (count == 0 && (first > 0 || row_begin < row_end)) break;
        const EdgeIndex next = slot + static_cast<EdgeIndex>(count);
        body(RowBlock{offsets, row, 1, slot, count, slot == row_begin, next == row_end, static_cast<int>(row - begin)});
        slot = next;
        if (count < kEdges) break;
      }
    }
}

/// Calls body(block) for the blocks of a chunk of `tiles`.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_block(const graph::Csr& csr, Node begin, Node end, const Tiles& tiles, Body&& body) {
  if (tiles.are_used())
    for_each_tiled_block<kEdges>(csr, begin, end, tiles, body);
  else
    for_each_row_block<kEdges>(csr, begin, end, body);
}

/// The row of each edge of a block, padded with its first row, so that whole vectors may be read.
template <int kEdges>
struct BlockRows {
  alignas(64) std::array<Node, kEdges + kLanes> of;

  void fill(const RowBlock& block) {
    for (int r = 0; r < block.rows; ++r) {
      const RowPart part = block.part(r);
      std::fill(of.begin() + part.begin, of.begin() + part.end, part.row);
    }
    std::fill_n(of.begin() + block.count, kLanes, block.row);
  }
};

/// An array of the graph, the far nodes or the slots of edges, from the first edge of a block on; later edges are
/// needed to prefetch their rows. Near the end of the array it is a copy padded with zeros, so that whole vectors may
/// be read. The array itself is also prefetched for later blocks: with rows gathered in between, the hardware
/// prefetcher does not run far enough ahead.
template <int kEdges, int kAhead>
class BlockNodes {
 public:
  const Node* of = nullptr;

  /// prefetches: whether to prefetch what is kBlockAhead edges further on.
  void fill(const std::vector<Node>& columns, EdgeIndex slot, bool prefetches) {
    of = columns.data() + slot;
    const std::size_t known = columns.size() - slot;
    for (std::size_t e = kBlockAhead; prefetches && e < std::min<std::size_t>(kBlockAhead + kEdges, known); e += kLanes)
      __builtin_prefetch(of + e);
    if (known >= copy_.size()) return;
    std::copy_n(of, known, copy_.data());
    std::fill(copy_.begin() + static_cast<std::ptrdiff_t>(known), copy_.end(), Node{0});
    of = copy_.data();
  }

 private:
  static constexpr std::size_t kBlockAhead = 1024;  // edges

  std::array<Node, kEdges + kAhead + kLanes> copy_;
};

}  // namespace edgewise::attention::fused
