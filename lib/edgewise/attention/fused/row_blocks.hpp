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
  int index;  ///< Of the row, counted from the first row of the block or group of rows: where its running state is.
  int begin;
  int end;
};

/// Consecutive rows with all their edges, or one row with some of them.
struct RowBlock {
  const EdgeIndex* offsets;
  Node row;  ///< The first.
  int rows;
  int index;       ///< See RowPart.
  EdgeIndex slot;  ///< Of the first edge.
  int count;       ///< Edges.
  bool is_first;   ///< The rows begin here ...
  bool is_last;    ///< ... and end here.

  RowPart part(int r) const {
    if (rows == 1) return {row, index, 0, count};
    const EdgeIndex* of = offsets + row + r;
    return {row + static_cast<Node>(r), index + r, static_cast<int>(of[0] - slot), static_cast<int>(of[1] - slot)};
  }
  EdgeIndex edges_of_row(int r) const {
    return offsets[row + static_cast<Node>(r) + 1] - offsets[row + static_cast<Node>(r)];
  }
};

/// The most rows in a block, whether whole or processed some columns at a time.
inline constexpr int kMostRows = 64;

/// body(block) for the rows from `begin` to `end`, with at most kEdges edges each.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_row_block(const graph::Csr& csr, Node begin, Node end, Body&& body) {
  const EdgeIndex* offsets = csr.offsets.data();
  for (Node row = begin; row < end;) {
    const EdgeIndex from = offsets[row];
    const Node limit = std::min<Node>(end, row + kMostRows);
    Node last = row;
    while (last < limit && offsets[last + 1] - from <= kEdges) ++last;
    if (last > row) {
      body(RowBlock{offsets, row, static_cast<int>(last - row), 0, from, static_cast<int>(offsets[last] - from), true,
                    true});
      row = last;
      continue;
    }
    for (EdgeIndex slot = from; slot < offsets[row + 1]; slot += kEdges) {
      const EdgeIndex left = offsets[row + 1] - slot;
      body(RowBlock{offsets, row, 1, 0, slot, static_cast<int>(std::min<EdgeIndex>(kEdges, left)), slot == from,
                    left <= kEdges});
    }
    ++row;
  }
}

/// The same for at most kMostRows rows, `at_once` columns at a time: the edges of all rows to the first columns, then
/// those to the next, so that the table rows that the columns refer to stay in the second-level cache. Columns ascend in
/// each row.
template <int kEdges, class Body>
EDGEWISE_INLINE void for_each_column_block(const graph::Csr& csr, Node begin, Node end, Node at_once, Body&& body) {
  std::array<EdgeIndex, kMostRows> next;
  std::copy(csr.offsets.begin() + begin, csr.offsets.begin() + end, next.begin());
  const Node* columns = csr.columns.data();
  EdgeIndex left = csr.offsets[end] - csr.offsets[begin];
  for (EdgeIndex bound = at_once; bound == at_once || left > 0; bound += at_once)
    for (Node row = begin; row < end; ++row) {
      EdgeIndex& slot = next[row - begin];
      const EdgeIndex row_begin = csr.offsets[row], row_end = csr.offsets[row + 1];
      const auto part_end =
          static_cast<EdgeIndex>(std::lower_bound(columns + slot, columns + row_end, bound) - columns);
      const bool is_empty = row_begin == row_end && bound == at_once;
      for (bool once = is_empty; once || slot < part_end; once = false) {
        const int count = static_cast<int>(std::min<EdgeIndex>(kEdges, part_end - slot));
        const EdgeIndex from = slot;
        slot += static_cast<EdgeIndex>(count);
        left -= static_cast<EdgeIndex>(count);
        body(RowBlock{csr.offsets.data(), row, 1, static_cast<int>(row - begin), from, count, from == row_begin,
                      slot == row_end});
      }
    }
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
/// which are asked for ahead of time: where the graph has them, and near its last edge in a copy with zeros behind it, so
/// that whole vectors may be read.
template <int kEdges, int kAhead>
class BlockNodes {
 public:
  const Node* of = nullptr;

  void fill(const std::vector<Node>& columns, EdgeIndex slot) {
    of = columns.data() + slot;
    const std::size_t known = columns.size() - slot;
    if (known >= copy_.size()) return;
    std::copy_n(of, known, copy_.data());
    std::fill(copy_.begin() + static_cast<std::ptrdiff_t>(known), copy_.end(), Node{0});
    of = copy_.data();
  }

 private:
  std::array<Node, kEdges + kAhead + kLanes> copy_;
};

}  // namespace edgewise::attention::fused
