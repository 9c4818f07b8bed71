#pragma once

#include <algorithm>
#include <array>

#include "edgewise/attention/fused/layout.hpp"

/// @file
/// A chunk of rows is worked on in blocks whose scores stay in the nearest cache: many short rows at once, so that what
/// is done to each score fills whole vectors, or a part of a long one.
namespace edgewise::attention::fused {

/// The edges of a row that are in a block: `begin` to `end`, counted from the first edge of the block.
struct RowPart {
  Node row;
  int index;  ///< Of the row in the block.
  int begin;
  int end;
};

/// Consecutive rows with all their edges, or one row with some of them.
struct RowBlock {
  const EdgeIndex* offsets;
  Node row;  ///< The first.
  int rows;
  EdgeIndex slot;  ///< Of the first edge.
  int count;       ///< Edges.
  bool is_first;   ///< The rows begin here ...
  bool is_last;    ///< ... and end here.
  int index = 0;   ///< Of the first row, where several rows are gone through in turns.

  RowPart part(int r) const {
    if (rows == 1) return {row, index, 0, count};
    const EdgeIndex* of = offsets + row + r;
    return {row + static_cast<Node>(r), r, static_cast<int>(of[0] - slot), static_cast<int>(of[1] - slot)};
  }
  EdgeIndex edges_of_row(int r) const {
    return offsets[row + static_cast<Node>(r) + 1] - offsets[row + static_cast<Node>(r)];
  }
};

/// The most rows in a block.
inline constexpr int kMaxRows = 64;

/// body(block) for the rows from `begin` to `end`, with at most kEdges edges each.
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

/// How a pass goes through the rows of a mask. Where they are long and what they gather exceeds the second cache, the
/// rows of a chunk go through a tile of columns together, so that what they share is read from that cache.
struct Tiles {
  std::vector<Node> chunks;         ///< Of rows, at most kMaxRows in each where there are tiles.
  std::size_t all_columns = 0;      ///< Of the mask.
  std::size_t columns_at_once = 0;  ///< 0: no tiles, each row is gone through whole.

  bool are_used() const { return columns_at_once > 0; }

  /// None.
  explicit Tiles(const std::vector<Node>& row_chunks) : chunks(row_chunks) {}
  /// column_bytes: what is gathered for a column, all tables together; near_bytes: of a tile.
  Tiles(const graph::Csr& csr, const std::vector<Node>& row_chunks, std::size_t columns, std::size_t column_bytes,
        std::size_t near_bytes);
};

/// How many of `values` [count], which ascend, are below `limit`.
template <class Value>
EDGEWISE_INLINE int count_below(const Value* values, EdgeIndex count, EdgeIndex limit) {
  if (count == 0 || values[count - 1] < limit) return static_cast<int>(count);
  return static_cast<int>(std::lower_bound(values, values + count, limit) - values);
}

/// body(block) for the rows from `begin` to `end`, a part of one row at a time with at most kEdges edges: those to the
/// first columns of each row, then those to the next. Columns ascend in each row.
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

/// The blocks of a chunk of `tiles`.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_block(const graph::Csr& csr, Node begin, Node end, const Tiles& tiles, Body&& body) {
  if (tiles.are_used())
    for_each_tiled_block<kEdges>(csr, begin, end, tiles, body);
  else
    for_each_row_block<kEdges>(csr, begin, end, body);
}

/// The row of each edge of a block, and after them the last one again, so that whole vectors may be read.
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

/// What a graph knows of the edges of a block, the nodes at their other end or their slots, and of those that follow,
/// which are asked for ahead of time: where the graph has them, and near its last edge in a copy with zeros behind it,
/// so that whole vectors may be read. What blocks further on will read is asked for, too: with rows gathered in
/// between, the hardware does not read ahead far enough.
template <int kEdges, int kAhead>
class BlockNodes {
 public:
  const Node* of = nullptr;

  /// asks: for what is kBlockAhead edges further on.
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
