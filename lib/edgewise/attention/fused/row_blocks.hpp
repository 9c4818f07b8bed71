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

  RowPart part(int r) const {
    if (rows == 1) return {row, 0, 0, count};
    const EdgeIndex* of = offsets + row + r;
    return {row + static_cast<Node>(r), r, static_cast<int>(of[0] - slot), static_cast<int>(of[1] - slot)};
  }
  EdgeIndex edges_of_row(int r) const {
    return offsets[row + static_cast<Node>(r) + 1] - offsets[row + static_cast<Node>(r)];
  }
};

/// The most rows in a block.
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
/// that whole vectors may be read. What blocks further on will read is asked for, too: with rows gathered in between, the
/// hardware does not read ahead far enough.
template <int kEdges, int kAhead>
class BlockNodes {
 public:
  const Node* of = nullptr;

  void fill(const std::vector<Node>& columns, EdgeIndex slot) {
    of = columns.data() + slot;
    const std::size_t known = columns.size() - slot;
    for (std::size_t e = kBlockAhead; e < std::min<std::size_t>(kBlockAhead + kEdges, known); e += kLanes)
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
