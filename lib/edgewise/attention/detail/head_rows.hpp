#pragma once

#include <algorithm>
#include <type_traits>

#include "edgewise/core/simd.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// What every score needs of rows [H * D]: dot products of one row with gathered rows, head by head, and sums of
/// gathered rows weighted head by head. Scores of a piece of a row's edges are kept flat, [edges, H], in L1.
namespace edgewise::attention::detail {

using graph::EdgeIndex;
using graph::Node;
using simd::Float8;

inline constexpr int kPieceScores = 512;   ///< Scores (edges x heads) worked on at a time.
inline constexpr int kPrefetchEdges = 8;   ///< How far ahead gathered rows are asked for.

/// H heads of D columns, D cut into vectors of 8, the last one perhaps partial.
struct HeadShape {
  int heads;
  int width;
  int per_head;            ///< Vectors a head.
  std::uint32_t inverse;   ///< 2^32 / per_head, rounded up: a division by per_head would cost more than a row's sums.

  HeadShape(int head_count, int head_width)
      : heads(head_count),
        width(head_width),
        per_head(std::max(1, (head_width + simd::kLanes - 1) / simd::kLanes)),
        inverse(static_cast<std::uint32_t>((0xffffffffULL + static_cast<unsigned>(per_head)) /
                                           static_cast<unsigned>(per_head))) {}

  int columns() const { return heads * width; }
  int vectors() const { return heads * per_head; }
  /// vector / per_head; exact below 2^16 vectors.
  int head(int vector) const {
    if (per_head == 1) return vector;
    return static_cast<int>((static_cast<std::uint64_t>(vector) * inverse) >> 32);
  }
  int column(int vector) const {
    const int h = head(vector);
    return h * width + (vector - h * per_head) * simd::kLanes;
  }
  int lanes(int vector) const {
    return std::min(simd::kLanes, width - (vector - head(vector) * per_head) * simd::kLanes);
  }
  bool is_whole() const { return width % simd::kLanes == 0; }
  /// Edges a piece.
  int piece() const { return std::max(1, kPieceScores / heads); }
};

/// What is known of a HeadShape when the code is compiled; 0 stands for a number that is not.
struct Layout {
  int heads = 0;     ///< 1, 2, 4 or 8.
  int per_head = 0;  ///< Only with `is_whole`.
  bool is_whole = false;

  constexpr int vectors() const { return heads * per_head; }
};

/// Calls `body` with the number of heads as a constant where it is a usual one, and 0 where it is not.
template <class Body>
void with_constant_heads(int heads, Body&& body) {
  switch (heads) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 4: return body(std::integral_constant<int, 4>());
    case 8: return body(std::integral_constant<int, 8>());
    default: return body(std::integral_constant<int, 0>());
  }
}

/// Calls `body` with a Layout of `heads`, and what of the width can be a constant.
template <class Heads, class Body>
void with_constant_width(const HeadShape& shape, Heads heads, Body&& body) {
  if (!shape.is_whole()) return body(std::integral_constant<Layout, Layout{heads, 0, false}>());
  if (shape.per_head == 1) return body(std::integral_constant<Layout, Layout{heads, 1, true}>());
  if (shape.per_head == 2) return body(std::integral_constant<Layout, Layout{heads, 2, true}>());
  body(std::integral_constant<Layout, Layout{heads, 0, true}>());
}

/// Calls `body` with all of `shape` that can be a constant.
template <class Body>
void with_layout(const HeadShape& shape, Body&& body) {
  with_constant_heads(shape.heads, [&](auto heads) { with_constant_width(shape, heads, body); });
}

/// Room for the flat scores of a piece, padded so that vector loops may run over the end.
struct alignas(64) PieceScores {
  float values[kPieceScores + simd::kLanes];
  float* data() { return values; }
  float& operator[](int i) { return values[i]; }
};

inline void prefetch_row(const float* row, int columns) {
  for (int c = 0; c < columns; c += 16) __builtin_prefetch(row + c);
}

/// Rows of a table that a piece of edges points at.
struct GatheredRows {
  const float* table;
  const Node* indices;
  int columns;

  const float* operator[](int edge) const { return table + static_cast<std::size_t>(indices[edge]) * columns; }
};

template <bool kWhole>
Float8 load_vector(const float* row, const HeadShape& shape, int vector) {
  if constexpr (kWhole) return simd::load(row + vector * simd::kLanes);
  return simd::load(row + shape.column(vector), shape.lanes(vector));
}

template <bool kWhole>
void store_vector(float* row, const HeadShape& shape, int vector, Float8 value) {
  if constexpr (kWhole)
    simd::store(row + vector * simd::kLanes, value);
  else
    simd::store(row + shape.column(vector), value, shape.lanes(vector));
}

/// scores[e, h] = sum over the lanes of terms(e, row of e)(h), `count` edges.
template <int kHeads, class Terms>
void sum_terms(const HeadShape& shape, const GatheredRows& rows, int count, float* scores, Terms&& terms) {
  constexpr int kEdges = kHeads > 0 ? simd::kLanes / kHeads : 1;
  alignas(64) Float8 group[simd::kLanes] = {};
  int filled = 0;
  const auto flush = [&] {
    simd::store(scores, simd::lane_sums(group));  // the last time perhaps into the padding
    scores += simd::kLanes;
    filled = 0;
  };
  for (int first = 0; first < count; first += kEdges) {
    for (int i = 0; i < kEdges; ++i) {
      const int e = first + i;
      if (e >= count) break;
      if (e + kPrefetchEdges < count) prefetch_row(rows[e + kPrefetchEdges], rows.columns);
      const auto term = terms(e, rows[e]);
      if constexpr (kHeads > 0) {
        for (int h = 0; h < kHeads; ++h) group[i * kHeads + h] = term(h);
      } else {
        for (int h = 0; h < shape.heads; ++h) {
          group[filled++] = term(h);
          if (filled == simd::kLanes) flush();
        }
      }
    }
    if constexpr (kHeads > 0) flush();
  }
  if (filled > 0) flush();
}

template <Layout kLayout>
void dot_rows_of(const HeadShape& shape, const float* own, const GatheredRows& rows, int count, float* scores) {
  const int per_head = kLayout.per_head > 0 ? kLayout.per_head : shape.per_head;
  sum_terms<kLayout.heads>(shape, rows, count, scores, [&](int, const float* row) {
    return [&, row](int head) {
      constexpr bool kWhole = kLayout.is_whole;
      const int first = head * per_head;
      Float8 sum = load_vector<kWhole>(own, shape, first) * load_vector<kWhole>(row, shape, first);
      for (int v = first + 1; v < first + per_head; ++v)
        sum += load_vector<kWhole>(own, shape, v) * load_vector<kWhole>(row, shape, v);
      return sum;
    };
  });
}

/// scores[e, h] = own[h, :] . rows[e][h, :]
inline void dot_rows(const HeadShape& shape, const float* own, const GatheredRows& rows, int count, float* scores) {
  with_constant_width(shape, std::integral_constant<int, 0>(), [&](auto layout) {
    dot_rows_of<layout()>(shape, own, rows, count, scores);
  });
}

/// kVectors vectors of the sum, from `first` on. kPerHead vectors share a weight; 0 when that is only known now.
template <bool kWhole, int kVectors, int kPerHead>
void add_weighted_tile(const HeadShape& shape, int first, const float* weights, const GatheredRows& rows, int count,
                       float* sum) {
  Float8 total[kVectors];
  [[maybe_unused]] int head[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    total[v] = load_vector<kWhole>(sum, shape, first + v);
    head[v] = shape.head(first + v);
  }
  const GatheredRows tile{rows.table + first * simd::kLanes, rows.indices, rows.columns};
  const float* weight = weights + (kPerHead > 0 ? head[0] : 0);
  for (int e = 0; e < count; ++e, weight += shape.heads) {
    if (e + kPrefetchEdges < count) prefetch_row(tile[e + kPrefetchEdges], kVectors * simd::kLanes);
    const float* row = kWhole ? tile[e] : rows[e];
    for (int v = 0; v < kVectors; ++v) {
      const Float8 value = kWhole ? simd::load(row + v * simd::kLanes) : load_vector<false>(row, shape, first + v);
      if constexpr (kPerHead > 0)
        total[v] += simd::broadcast(weight[v / kPerHead]) * value;
      else
        total[v] += simd::broadcast(weight[head[v]]) * value;
    }
  }
  for (int v = 0; v < kVectors; ++v) store_vector<kWhole>(sum, shape, first + v, total[v]);
}

template <bool kWhole, int kVectors>
void add_weighted_tile(const HeadShape& shape, int first, const float* weights, const GatheredRows& rows, int count,
                       float* sum) {
  const auto tile = [&](auto per_head) {
    add_weighted_tile<kWhole, kVectors, per_head>(shape, first, weights, rows, count, sum);
  };
  if (shape.per_head == 1) return tile(std::integral_constant<int, 1>());
  if (shape.per_head == 2) return tile(std::integral_constant<int, 2>());
  if (shape.per_head % kVectors == 0) return tile(std::integral_constant<int, kVectors>());
  tile(std::integral_constant<int, 0>());
}

template <bool kWhole>
void add_weighted_rows_of(const HeadShape& shape, const float* weights, const GatheredRows& rows, int count,
                          float* sum) {
  int v = 0;
  const int vectors = shape.vectors();
  for (; v + 8 <= vectors; v += 8) add_weighted_tile<kWhole, 8>(shape, v, weights, rows, count, sum);
  for (; v + 4 <= vectors; v += 4) add_weighted_tile<kWhole, 4>(shape, v, weights, rows, count, sum);
  for (; v + 2 <= vectors; v += 2) add_weighted_tile<kWhole, 2>(shape, v, weights, rows, count, sum);
  for (; v < vectors; ++v) add_weighted_tile<kWhole, 1>(shape, v, weights, rows, count, sum);
}

/// sum[h, :] += over e of weights[e, h] * rows[e][h, :]
inline void add_weighted_rows(const HeadShape& shape, const float* weights, const GatheredRows& rows, int count,
                              float* sum) {
  if (shape.is_whole())
    add_weighted_rows_of<true>(shape, weights, rows, count, sum);
  else
    add_weighted_rows_of<false>(shape, weights, rows, count, sum);
}

}  // namespace edgewise::attention::detail
