#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "edgewise/attention/fused/lanes/layout.hpp"
#include "edgewise/graph/column_blocks.hpp"

/// @file
/// A chunk of rows is processed in blocks whose scores stay in the L1 cache: many short rows at once, so that the
/// operations on scores fill whole vectors, or a part of one long row. A traversal says in which order: row by row, in
/// blocks of columns, or in tiles.
namespace edgewise::attention::fused {

/// The edges of a row in a block: `begin` to `end`, counted from the first edge of the block.
struct RowPart {
  Node row;
  int begin;
  int end;
  bool is_first;   ///< Whether the row begins here.
  bool is_last;    ///< Whether the row ends here.
  EdgeIndex slot;  ///< Of the first edge.
};

/// Edges of several rows, or some edges of one row.
struct RowBlock {
  const graph::Csr& csr;
  const RowPart* parts;
  int rows;
  int count;                         ///< Number of edges.
  const std::vector<Node>* columns;  ///< Those of the edges, from `position` on.
  EdgeIndex position;

  const RowPart* begin() const { return parts; }
  const RowPart* end() const { return parts + rows; }
  /// All edges of the row of a part.
  EdgeIndex edges_of_row(const RowPart& part) const { return csr.offsets[part.row + 1] - csr.offsets[part.row]; }
  /// Whether the slots of the edges are consecutive. Those of a part always are.
  bool is_consecutive() const {
    const RowPart &first = parts[0], &last = parts[rows - 1];
    return last.slot - first.slot == static_cast<EdgeIndex>(last.begin);
  }
};

/// The maximum number of rows in a block.
inline constexpr int kMaxRows = 64;

/// `count` edges of a row from `slot` on. Their columns begin at `position` of an array.
struct RowEdges {
  Node row;
  EdgeIndex slot;
  EdgeIndex position;
  EdgeIndex count;
  bool are_first;  ///< Whether the row begins here.
  bool are_last;   ///< Whether the row ends here.

  /// `some` of the edges, from the given one on, as a part of a block.
  EDGEWISE_INLINE RowPart part(EdgeIndex from, int some, int begin) const {
    return {row, begin, begin + some, are_first && from == 0, are_last && from + static_cast<EdgeIndex>(some) == count,
            slot + from};
  }
};

/// All edges of each row of a CSR.
struct WholeRows {
  const graph::Csr& csr;

  const std::vector<Node>& columns() const { return csr.columns; }
  EDGEWISE_INLINE RowEdges operator[](std::size_t row) const {
    const EdgeIndex slot = csr.offsets[row];
    return {static_cast<Node>(row), slot, slot, csr.offsets[row + 1] - slot, true, true};
  }
};

/// The segments of blocks of columns of a CSR.
struct RowSegments {
  const graph::Csr& csr;
  const graph::ColumnBlocks& blocks;

  const std::vector<Node>& columns() const { return blocks.columns; }
  EDGEWISE_INLINE RowEdges operator[](std::size_t i) const {
    const graph::ColumnBlocks::Segment* of = blocks.segments.data() + i;
    const EdgeIndex count = of[1].position - of->position;
    const EdgeIndex* offsets = csr.offsets.data() + of->row;
    return {of->row, of->slot, of->position, count, of->slot == offsets[0], of->slot + count == offsets[1]};
  }
};

/// What a pass does with a block.
using BlockBody = std::function<void(const RowBlock& block)>;

/// Calls body(block) for the rows from `begin` to `end`, with at most `edges` edges per block.
void for_each_row_block(const graph::Csr& csr, std::size_t begin, std::size_t end, int edges, const BlockBody& body);

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

/// How many blocks of columns are worth while for a pass over the edges of `csr` that gathers from `rows` rows of
/// `row_bytes`; 1: none.
std::size_t block_count(std::size_t rows, std::size_t row_bytes, const graph::Csr& csr);

/// How many of the `count` ascending `values` are below `limit`.
template <class Value>
EDGEWISE_INLINE int count_below(const Value* values, EdgeIndex count, EdgeIndex limit) {
  if (count == 0 || values[count - 1] < limit) return static_cast<int>(count);
  return static_cast<int>(std::lower_bound(values, values + count, limit) - values);
}

/// The way of a pass through the edges of a CSR: row by row, in tiles, or in blocks of columns.
struct Traversal {
  const graph::Csr& csr;
  Tiles tiles;
  const graph::ColumnBlocks* blocks = nullptr;  ///< nullptr: all columns at once.

  std::size_t chunks() const { return tiles.chunks.size() - 1; }
  std::size_t block_count() const { return blocks == nullptr ? 1 : blocks->count; }

  /// Calls body(block) for the edges of a chunk of rows that are in a block of columns, at most `edges` at a time.
  void for_each_block(std::size_t column_block, std::size_t chunk, int edges, const BlockBody& body) const;
};

/// The row of each edge of a block, padded with its first row, so that whole vectors may be read.
template <int kEdges>
struct BlockRows {
  alignas(64) std::array<Node, kEdges + kLanes> of;

  void fill(const RowBlock& block) {
    for (const RowPart& part : block) std::fill(of.begin() + part.begin, of.begin() + part.end, part.row);
    std::fill_n(of.begin() + block.count, kLanes, block.parts[0].row);
  }
};

/// The slot of each edge of a block, padded so that whole vectors may be read.
template <int kEdges>
struct BlockSlots {
  alignas(64) std::array<graph::StoredEdge, kEdges + kLanes> of{};

  void fill(const RowBlock& block) {
    for (const RowPart& part : block)
      std::iota(of.begin() + part.begin, of.begin() + part.end, static_cast<graph::StoredEdge>(part.slot));
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
  /// Of an array by slot. The edges of a block whose slots are not consecutive are followed by zeros.
  void fill_by_slot(const std::vector<Node>& of_slots, const RowBlock& block, bool prefetches) {
    if (block.is_consecutive()) return fill(of_slots, block.parts[0].slot, prefetches);
    for (const RowPart& part : block)
      std::copy_n(of_slots.data() + part.slot, part.end - part.begin, copy_.data() + part.begin);
    std::fill(copy_.begin() + block.count, copy_.end(), Node{0});
    of = copy_.data();
  }

 private:
  static constexpr std::size_t kBlockAhead = 1024;  // edges

  std::array<Node, kEdges + kAhead + kLanes> copy_;
};

}  // namespace edgewise::attention::fused
