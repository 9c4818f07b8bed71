#pragma once

#include <array>
#include <cstring>
#include <numeric>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/core/parallel.hpp"

/// A chunk of rows is worked on in pieces whose flat scores stay in the nearest cache: many short rows at once, so that
/// what is done to each score fills whole vectors, or a part of a long one.
namespace edgewise::attention::detail {

/// 0, 1, 2, ...: the rows of a table in their order, as GatheredRows.
inline constexpr std::array<Node, kPieceScores> kInOrder = [] {
  std::array<Node, kPieceScores> rows{};
  std::iota(rows.begin(), rows.end(), Node{0});
  return rows;
}();

/// One row again and again, as GatheredRows.
inline GatheredRows<> repeated_row(const float* row, int columns) {
  static constexpr std::array<Node, kPieceScores> kFirst{};
  return {row, kFirst.data(), columns};
}

/// The part of a row that is in a piece.
struct RowPart {
  Node row;
  EdgeIndex slot;  ///< The first.
  int count;       ///< Slots.
  int index;       ///< Of the row in the piece.
  bool is_first;   ///< Of the parts of its row.
  bool is_last;
};

/// Consecutive rows with all their slots, or one row with some of them.
struct Piece {
  Node row;           ///< The first.
  int rows;
  EdgeIndex slot;     ///< The first.
  int count;          ///< Slots.
  const Node* row_of;  ///< Of each slot.
  const int* starts;   ///< [rows + 1]: where the slots of each row start, from `slot` on.
  bool is_first;       ///< Of the parts of its rows.
  bool is_last;

  int count_of(int r) const { return starts[r + 1] - starts[r]; }
  RowPart part(int r) const {
    return {row + static_cast<Node>(r), slot + static_cast<EdgeIndex>(starts[r]), count_of(r), r, is_first, is_last};
  }
};

/// Cuts a chunk of rows into pieces.
class PieceRows {
 public:
  PieceRows(const graph::Csr& csr, Node begin, Node end) : csr_(csr), begin_(begin), end_(end) {}

  template <class Body>
  void for_each_piece(const HeadShape& shape, Body&& body) {
    const auto capacity = static_cast<EdgeIndex>(shape.piece());
    for (Node row = begin_; row < end_;) {
      const int rows = fill(row, capacity);
      const EdgeIndex slot = csr_.offsets[row];
      if (rows > 0) {
        body(Piece{row, rows, slot, starts_[static_cast<std::size_t>(rows)], row_of_.data(), starts_.data(), true, true});
        row += static_cast<Node>(rows);
      } else {
        for_each_part(row, capacity, body);
        ++row;
      }
    }
  }

 private:
  /// The number of rows from `row` on that fit together; 0 when not even one does.
  int fill(Node row, EdgeIndex capacity) {
    const EdgeIndex first = csr_.offsets[row];
    const Node limit = static_cast<Node>(std::min<EdgeIndex>(end_, row + capacity));
    int rows = 0;
    for (; row < limit && csr_.offsets[row + 1] - first <= capacity; ++row, ++rows) {
      const auto start = static_cast<int>(csr_.offsets[row] - first);
      const auto end = static_cast<int>(csr_.offsets[row + 1] - first);
      starts_[static_cast<std::size_t>(rows)] = start;
      starts_[static_cast<std::size_t>(rows) + 1] = end;
      fill_whole_vectors(row, start, end);
    }
    return rows;
  }

  /// row_of_[start], ... = row, up to `end` and perhaps over it, where later rows follow.
  void fill_whole_vectors(Node row, int start, int end) {
    const simd::Uint16 same = simd::Uint16{} + row;
    for (int i = start; i < end; i += simd::kWideLanes) std::memcpy(row_of_.data() + i, &same, sizeof(same));
  }

  template <class Body>
  void for_each_part(Node row, EdgeIndex capacity, Body&& body) {
    const EdgeIndex begin = csr_.offsets[row], end = csr_.offsets[row + 1];
    std::fill_n(row_of_.begin(), capacity, row);
    for (EdgeIndex slot = begin; slot < end; slot += capacity) {
      const int count = static_cast<int>(std::min(capacity, end - slot));
      starts_[0] = 0;
      starts_[1] = count;
      body(Piece{row, 1, slot, count, row_of_.data(), starts_.data(), slot == begin, slot + capacity >= end});
    }
  }

  const graph::Csr& csr_;
  Node begin_;
  Node end_;
  std::array<Node, kPieceScores + simd::kWideLanes> row_of_;
  std::array<int, kPieceScores + 1> starts_;
};

/// body(rows, chunk) for every chunk, in parallel.
template <class Body>
void for_each_chunk_of_rows(const graph::Csr& csr, const std::vector<Node>& chunks, Body&& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    PieceRows rows(csr, chunks[chunk], chunks[chunk + 1]);
    body(rows, chunk);
  });
}

/// The rows of `table`, of `rows` rows, that `csr` points at, in the order of its slots.
template <Storage kStorage = Storage::float32>
struct RowTable {
  const graph::Csr& csr;
  const float* table;
  std::size_t rows;
  int columns;  ///< As float32.

  GatheredRows<kStorage> from(EdgeIndex slot) const {
    constexpr std::size_t kBytes = kStorage == Storage::float32 ? 4 : 2;
    const bool is_near = rows * static_cast<std::size_t>(columns) * kBytes <= kNearBytes;
    const EdgeIndex known = std::min<EdgeIndex>(csr.slots() - slot, kPieceScores + kPrefetchEdges);
    return {table, csr.columns.data() + slot, columns, is_near ? 0 : static_cast<int>(known)};
  }
};

/// The two ends of the edges of a graph, whose tables have rows of `shape`.
struct EdgeEnds {
  const graph::FrozenGraph& graph;
  HeadShape shape;

  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  /// Of the end that the rows of a piece are.
  template <Storage kStorage>
  GatheredRows<kStorage> own(const float* table, const Piece& piece) const {
    return {table, piece.row_of, shape.columns()};
  }
  template <Storage kStorage>
  RowTable<kStorage> sources(const float* table) const {
    return {graph.incoming, table, graph.source_count(), shape.columns()};
  }
  template <Storage kStorage>
  RowTable<kStorage> destinations(const float* table) const {
    return {graph.outgoing, table, graph.destination_count(), shape.columns()};
  }
  auto incoming_slots(EdgeIndex slot) const {
    return [slot](int e) { return slot + static_cast<EdgeIndex>(e); };
  }
  auto outgoing_slots(EdgeIndex position) const {
    return [slots = graph.outgoing_slot.data() + position](int e) { return static_cast<EdgeIndex>(slots[e]); };
  }
};

/// The slots of a row.
struct RowSlots {
  EdgeIndex begin;
  EdgeIndex end;
};

/// body(row, slots, chunk) for every row, one by one, chunks in parallel.
template <class Body>
void for_each_row(const graph::Csr& csr, const std::vector<Node>& chunks, Body&& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row)
      body(row, RowSlots{csr.offsets[row], csr.offsets[row + 1]}, chunk);
  });
}

}  // namespace edgewise::attention::detail
