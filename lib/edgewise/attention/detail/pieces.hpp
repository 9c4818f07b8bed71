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
  int index;       ///< Of the row, as of a piece.
  bool is_first;   ///< Of the parts of its row.
  bool is_last;
};

/// Consecutive rows with all their slots, or one row with some of them.
struct Piece {
  Node row;           ///< The first.
  int index;          ///< Of it among those whose parts are worked on in turn.
  int rows;
  EdgeIndex slot;     ///< The first.
  int count;          ///< Slots.
  const Node* row_of;  ///< Of each slot.
  const int* starts;   ///< [rows + 1]: where the slots of each row start, from `slot` on.
  bool is_first;       ///< Of the parts of its rows.
  bool is_last;

  int count_of(int r) const { return starts[r + 1] - starts[r]; }
  RowPart part(int r) const {
    return {row + static_cast<Node>(r), slot + static_cast<EdgeIndex>(starts[r]), count_of(r), index + r, is_first,
            is_last};
  }
};

/// Cuts a chunk of rows into pieces, row by row, or some columns at a time: the pieces of all rows with columns below
/// `columns_at_once`, then those with the next ones, so that the rows of a table that the columns stand for stay near.
class PieceRows {
 public:
  PieceRows(const graph::Csr& csr, Node begin, Node end, Node columns_at_once = 0)
      : csr_(csr), begin_(begin), end_(end), columns_at_once_(columns_at_once) {}

  template <class Body>
  void for_each_piece(const HeadShape& shape, Body&& body) {
    const auto capacity = static_cast<EdgeIndex>(shape.piece());
    if (columns_at_once_ > 0) return for_each_block(capacity, body);
    for (Node row = begin_; row < end_;) {
      const int rows = fill(row, capacity);
      const EdgeIndex slot = csr_.offsets[row];
      if (rows > 0) {
        body(Piece{row, 0, rows, slot, starts_[static_cast<std::size_t>(rows)], row_of_.data(), starts_.data(), true,
                   true});
        row += static_cast<Node>(rows);
      } else {
        for_each_part(row, 0, slot, csr_.offsets[row + 1], capacity, body);
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

  /// The parts of the slots from `slot` to `end` of a row; one without slots has one part.
  template <class Body>
  void for_each_part(Node row, int index, EdgeIndex slot, EdgeIndex end, EdgeIndex capacity, Body&& body) {
    std::fill_n(row_of_.begin(), std::min(capacity, end - slot), row);
    starts_[0] = 0;
    do {
      const int count = static_cast<int>(std::min(capacity, end - slot));
      starts_[1] = count;
      const bool is_first = slot == csr_.offsets[row];
      slot += static_cast<EdgeIndex>(count);
      body(Piece{row, index, 1, slot - static_cast<EdgeIndex>(count), count, row_of_.data(), starts_.data(), is_first,
                 slot == csr_.offsets[row + 1]});
    } while (slot < end);
  }

  template <class Body>
  void for_each_block(EdgeIndex capacity, Body&& body) {
    std::array<EdgeIndex, kPieceScores> next;
    std::copy(csr_.offsets.begin() + begin_, csr_.offsets.begin() + end_, next.begin());
    const Node* columns = csr_.columns.data();
    EdgeIndex left = csr_.offsets[end_] - csr_.offsets[begin_];
    for (Node bound = columns_at_once_; bound == columns_at_once_ || left > 0; bound += columns_at_once_)
      for (Node row = begin_; row < end_; ++row) {
        EdgeIndex& slot = next[row - begin_];
        const EdgeIndex end = csr_.offsets[row + 1];
        const bool is_empty = end == csr_.offsets[row] && bound == columns_at_once_;
        const auto part_end = static_cast<EdgeIndex>(std::lower_bound(columns + slot, columns + end, bound) - columns);
        if (part_end > slot || is_empty)
          for_each_part(row, static_cast<int>(row - begin_), slot, part_end, capacity, body);
        left -= part_end - slot;
        slot = part_end;
      }
  }

  const graph::Csr& csr_;
  Node begin_;
  Node end_;
  Node columns_at_once_;
  std::array<Node, kPieceScores + simd::kWideLanes> row_of_;
  std::array<int, kPieceScores + 1> starts_;
};

/// How the rows of a matrix are gone through.
struct Traversal {
  const graph::Csr& csr;
  const std::vector<Node>& chunks;
  Node columns_at_once = 0;  ///< 0: all.
};

/// body(rows, chunk) for every chunk, in parallel. Where not all columns are gone through at once the chunks are others:
/// as many rows as a piece has, each group with chunk number 0.
template <class Body>
void for_each_chunk_of_rows(const HeadShape& shape, const Traversal& traversal, Body&& body) {
  const auto& [csr, chunks, columns_at_once] = traversal;
  if (columns_at_once == 0)
    return parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
      PieceRows rows(csr, chunks[chunk], chunks[chunk + 1]);
      body(rows, chunk);
    });
  const auto group = static_cast<std::size_t>(shape.piece());
  parallel_for(csr.rows(), group, [&](std::size_t begin, std::size_t end) {
    PieceRows rows(csr, static_cast<Node>(begin), static_cast<Node>(end), columns_at_once);
    body(rows, std::size_t{0});
  });
}

/// The rows of `table`, of `rows` rows that are read in turn, that `csr` points at, in the order of its slots.
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

/// How many columns of `csr` to go through at once when they stand for the rows of tables of `columns` floats, two of
/// which are gathered: so many that these rows fit the second cache, where they do not fit it all and the edges of a row
/// to so many are enough to be worth going there; else 0, all.
inline Node columns_at_once(const graph::Csr& csr, std::size_t table_rows, std::size_t row_bytes) {
  constexpr std::size_t kWorthwhile = 32;
  const std::size_t block = kNearBytes / 2 / row_bytes;
  const bool fits = 2 * table_rows <= 3 * block;
  const bool is_dense = csr.slots() / kWorthwhile * block >= csr.rows() * table_rows;
  return fits || !is_dense ? 0 : static_cast<Node>(block);
}

/// The two ends of the edges of a graph, whose tables have rows of `shape`.
struct EdgeEnds {
  const graph::FrozenGraph& graph;
  HeadShape shape;
  Node sources_at_once = 0;  ///< See `columns_at_once`.
  Node destinations_at_once = 0;

  Traversal incoming() const { return {graph.incoming, graph.incoming_chunks, sources_at_once}; }
  Traversal outgoing() const { return {graph.outgoing, graph.outgoing_chunks, destinations_at_once}; }
  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  /// Of the end that the rows of a piece are.
  template <Storage kStorage>
  GatheredRows<kStorage> own(const float* table, const Piece& piece) const {
    return {table, piece.row_of, shape.columns()};
  }
  template <Storage kStorage>
  RowTable<kStorage> sources(const float* table) const {
    return {graph.incoming, table, sources_at_once > 0 ? sources_at_once : graph.source_count(), shape.columns()};
  }
  template <Storage kStorage>
  RowTable<kStorage> destinations(const float* table) const {
    return {graph.outgoing, table, destinations_at_once > 0 ? destinations_at_once : graph.destination_count(),
            shape.columns()};
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
