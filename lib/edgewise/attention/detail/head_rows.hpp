#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "edgewise/attention/options.hpp"
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
inline constexpr int kLineFloats = 16;     ///< Of a line of the cache.
inline constexpr std::size_t kNearBytes = std::size_t{1} << 19;  ///< Tables up to here are near enough not to ask.

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

/// What is known of the rows when the code is compiled; 0 stands for a number that is not.
struct Layout {
  int heads = 0;     ///< 1, 4 or 8.
  int lanes = 0;     ///< Of the vectors that make up a head; 0 where the last one of a head is only partly filled.
  int per_head = 0;  ///< Vectors.

  constexpr int vectors() const { return heads * per_head; }
};

/// Calls `body` with the number of heads as a constant where it is a usual one, and 0 where it is not.
template <class Body>
void with_constant_heads(int heads, Body&& body) {
  switch (heads) {
    case 1: return body(std::integral_constant<int, 1>());
    case 4: return body(std::integral_constant<int, 4>());
    case 8: return body(std::integral_constant<int, 8>());
    default: return body(std::integral_constant<int, 0>());
  }
}

/// Calls `body` with a Layout of `heads`, and what of the width can be a constant.
template <class Heads, class Body>
void with_constant_width(int width, Heads heads, Body&& body) {
  const auto call = [&]<int kLanes, int kPerHead>() {
    body(std::integral_constant<Layout, Layout{heads, kLanes, kPerHead}>());
  };
  constexpr bool kHasOneVector = heads > 0;
  if (width % simd::kLanes != 0) return call.template operator()<0, 0>();
  if (kHasOneVector && width == simd::kLanes) return call.template operator()<simd::kLanes, kHasOneVector ? 1 : 0>();
  if (width % simd::kWideLanes != 0) return call.template operator()<simd::kLanes, 0>();
  constexpr int kOfSixteen = simd::kWideLanes / simd::kNativeLanes;
  if (kHasOneVector && width == simd::kWideLanes)
    return call.template operator()<simd::kNativeLanes, kHasOneVector ? kOfSixteen : 0>();
  call.template operator()<simd::kNativeLanes, 0>();
}

/// Calls `body` with all of `shape` that can be a constant.
template <class Body>
void with_layout(const HeadShape& shape, Body&& body) {
  with_constant_heads(shape.heads, [&](auto heads) { with_constant_width(shape.width, heads, body); });
}

/// Calls `body` with one of fewer layouts, for code that is not worth one of its own for each.
template <class Body>
void with_common_layout(const HeadShape& shape, Body&& body) {
  const auto call = [&]<Layout kLayout>() { body(std::integral_constant<Layout, kLayout>()); };
  constexpr int kOfSixteen = simd::kWideLanes / simd::kNativeLanes;
  if (shape.heads == 4 && shape.width == 16) return call.template operator()<Layout{4, simd::kNativeLanes, kOfSixteen}>();
  if (shape.heads == 8 && shape.width == 8) return call.template operator()<Layout{8, simd::kLanes, 1}>();
  if (shape.width % simd::kWideLanes == 0) return call.template operator()<Layout{0, simd::kNativeLanes, 0}>();
  call.template operator()<Layout{}>();
}

/// A row as the vectors that it is cut into. In bfloat16 (the upper halves of floats) two vectors share one: those with
/// even numbers are its lower halves, those with odd numbers its upper ones.
template <Layout kLayout>
struct RowVectors {
  using Floats = std::conditional_t<kLayout.lanes == simd::kWideLanes, simd::Float16, Float8>;
  static constexpr int kLanes = simd::kLanesOf<Floats>;

  const HeadShape& shape;

  int per_head() const {
    if constexpr (kLayout.per_head > 0) return kLayout.per_head;
    return kLayout.lanes > 0 ? shape.width / kLanes : shape.per_head;
  }
  /// Of a vector.
  int head(int vector) const {
    if constexpr (kLayout.per_head > 0) return vector / kLayout.per_head;
    return kLayout.lanes > 0 ? vector / per_head() : shape.head(vector);
  }
  int count() const { return kLayout.vectors() > 0 ? kLayout.vectors() : shape.heads * per_head(); }
  int columns() const { return kLayout.vectors() > 0 ? kLayout.vectors() * kLanes : shape.columns(); }
  Floats load(const float* row, int vector) const {
    if constexpr (kLayout.lanes > 0)
      return simd::load_as<Floats>(row + vector * kLanes);
    else
      return simd::load(row + shape.column(vector), shape.lanes(vector));
  }
  void store(float* row, int vector, Floats value) const {
    if constexpr (kLayout.lanes > 0)
      simd::store_as(row + vector * kLanes, value);
    else
      simd::store(row + shape.column(vector), value, shape.lanes(vector));
  }
  /// Of a row as it is stored, in floats.
  template <Storage kStorage>
  int stored_columns() const {
    return kStorage == Storage::float32 ? columns() : (count() + 1) / 2 * kLanes;
  }
  template <Storage kStorage>
  Floats load_stored(const float* row, int vector) const {
    if constexpr (kStorage == Storage::float32) return load(row, vector);
    const auto pair = std::bit_cast<simd::UnsignedOf<Floats>>(simd::load_as<Floats>(row + vector / 2 * kLanes));
    return std::bit_cast<Floats>(vector % 2 == 0 ? pair << 16 : pair & 0xffff0000U);
  }
  /// to = row, rounded to the nearest bfloat16, ties to even.
  void round(const float* row, float* to) const {
    using Bits = simd::UnsignedOf<Floats>;
    const auto rounded = [&](int vector) {
      const auto bits = std::bit_cast<Bits>(load(row, vector));
      return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    };
    for (int v = 0; v < count(); v += 2, to += kLanes) {
      const Bits high = v + 1 < count() ? rounded(v + 1) : Bits{};
      simd::store_as(to, std::bit_cast<Floats>(rounded(v) | high << 16));
    }
  }
  /// row += by, at one vector.
  void add(float* row, int vector, Floats by) const { store(row, vector, load(row, vector) + by); }
};

/// Room for the flat scores of a piece, padded so that vector loops may run over the end.
struct alignas(64) PieceScores {
  float values[kPieceScores + simd::kNativeLanes];
  float* data() { return values; }
  float& operator[](int i) { return values[i]; }
};

/// Rows of a table that the edges of a piece point at.
template <Storage kStorageOfRows = Storage::float32>
struct GatheredRows {
  static constexpr Storage kStorage = kStorageOfRows;

  const float* table;
  const Node* indices;
  int columns;
  /// How many of the indices may be looked at ahead of their turn, beyond the piece too; 0 where the table is near.
  int known = 0;

  const float* operator[](int edge) const { return table + static_cast<std::size_t>(indices[edge]) * columns; }
  /// Asks for a row that comes a few edges later; to be called once for each edge.
  void prefetch_after(int edge) const {
    if (edge + kPrefetchEdges >= known) return;
    const float* row = (*this)[edge + kPrefetchEdges];
    for (int c = 0; c < columns; c += kLineFloats) __builtin_prefetch(row + c);
  }
};

/// The sums of the lanes of terms(first)(0), terms(first)(1), ..., of the first edges; written out in full, so that all
/// of it stays in registers.
template <class Floats, int kHeads, class Terms, std::size_t... kEdge, std::size_t... kVector>
[[gnu::always_inline]] inline Floats sums_of_terms(const Terms& terms, int first, std::index_sequence<kEdge...>,
                                                   std::index_sequence<kVector...>) {
  const std::array edges = {terms(first + static_cast<int>(kEdge))...};
  const Floats vectors[] = {edges[kVector / kHeads](static_cast<int>(kVector % kHeads))...};
  return simd::lane_sums(vectors);
}

/// scores[e, h] = factor * sum over the lanes of terms(e)(h), `count` edges; whole vectors are written, perhaps over the
/// end.
template <class Floats, int kHeads, class Terms>
[[gnu::always_inline]] inline void sum_terms(int heads, int count, float factor, float* scores, const Terms& terms) {
  constexpr int kLanes = simd::kLanesOf<Floats>;
  int e = 0;
  if constexpr (kHeads > 0) {
    constexpr int kEdges = kLanes / kHeads;
    for (; e + kEdges <= count; e += kEdges, scores += kLanes)
      simd::store_as(scores, factor * sums_of_terms<Floats, kHeads>(terms, e, std::make_index_sequence<kEdges>(),
                                                                    std::make_index_sequence<kLanes>()));
  }
  Floats vectors[kLanes] = {};
  int filled = 0;
  for (; e < count; ++e) {
    const auto term = terms(e);
    for (int h = 0; h < heads; ++h) {
      vectors[filled++] = term(h);
      if (filled < kLanes) continue;
      simd::store_as(scores, factor * simd::lane_sums(vectors));
      scores += kLanes;
      filled = 0;
    }
  }
  if (filled > 0) simd::store_as(scores, factor * simd::lane_sums(vectors));
}

/// scores[e, h] = own[e][h, :] . others[e][h, :] * factor
template <Layout kLayout, Storage kOwn, Storage kOthers>
void dot_rows(const HeadShape& shape, GatheredRows<kOwn> own, GatheredRows<kOthers> others, float factor, int count,
              float* scores) {
  using Vectors = RowVectors<kLayout>;
  const Vectors vectors{shape};
  const int per_head = vectors.per_head();
  own.columns = vectors.template stored_columns<kOwn>();
  others.columns = vectors.template stored_columns<kOthers>();
  sum_terms<typename Vectors::Floats, kLayout.heads>(shape.heads, count, factor, scores, [=](int e)
                                                         __attribute__((always_inline)) {
    others.prefetch_after(e);
    return [=, a = own[e], b = others[e]](int head) __attribute__((always_inline)) {
      const int first = head * per_head;
      const auto product = [&](int v) {
        return vectors.template load_stored<kOwn>(a, v) * vectors.template load_stored<kOthers>(b, v);
      };
      typename Vectors::Floats sum = product(first);
      for (int v = first + 1; v < first + per_head; ++v) sum += product(v);
      return sum;
    };
  });
}

/// What a sum of rows starts from: nothing, or what stands in its place.
enum class Start { zero, present };

/// kVectors vectors of the sum, from number `first` on, multiplied by factors[h] at the end unless it is nullptr.
template <Layout kLayout, int kVectors, Start kStart, Storage kStorage>
void sum_tile(const RowVectors<kLayout>& vectors, int first, const float* weights, const GatheredRows<kStorage>& rows,
              int count, const float* factors, float* sum) {
  using Floats = typename RowVectors<kLayout>::Floats;
  const int heads = kLayout.heads > 0 ? kLayout.heads : vectors.shape.heads;
  Floats total[kVectors];
  [[maybe_unused]] int heads_of[kVectors];
  const auto head = [&](int v) { return kLayout.per_head > 0 ? (first + v) / kLayout.per_head : heads_of[v]; };
  for (int v = 0; v < kVectors; ++v) {
    total[v] = kStart == Start::zero ? Floats{} : vectors.load(sum, first + v);
    heads_of[v] = vectors.head(first + v);
  }
  for (int e = 0; e < count; ++e, weights += heads) {
    if (first == 0) rows.prefetch_after(e);
    const float* row = rows[e];
    for (int v = 0; v < kVectors; ++v)
      total[v] += weights[head(v)] * vectors.template load_stored<kStorage>(row, first + v);
  }
  for (int v = 0; v < kVectors; ++v)
    vectors.store(sum, first + v, factors == nullptr ? total[v] : total[v] * factors[head(v)]);
}

/// sum[h, :] = (sum[h, :] or 0 + sum over e of weights[e, h] * rows[e][h, :]) * factors[h] (or 1: nullptr)
template <Layout kLayout, Start kStart, Storage kStorage>
void sum_rows(const HeadShape& shape, const float* weights, GatheredRows<kStorage> rows, int count,
              const float* factors, float* sum) {
  const RowVectors<kLayout> vectors{shape};
  rows.columns = vectors.template stored_columns<kStorage>();
  int v = 0;
  const auto tiles = [&](auto size) {
    for (; v + size <= vectors.count(); v += size)
      sum_tile<kLayout, size, kStart, kStorage>(vectors, v, weights, rows, count, factors, sum);
  };
  tiles(std::integral_constant<int, 8>());
  tiles(std::integral_constant<int, 4>());
  tiles(std::integral_constant<int, 1>());
}

/// As `sum_rows` for where the layout is not known: sum[h, :] += sum over e of weights[e, h] * rows[e][h, :]
inline void add_weighted_rows(const HeadShape& shape, const float* weights, const GatheredRows<>& rows, int count,
                              float* sum) {
  with_constant_width(shape.width, std::integral_constant<int, 0>(), [&](auto layout) {
    sum_rows<layout(), Start::present>(shape, weights, rows, count, nullptr, sum);
  });
}

}  // namespace edgewise::attention::detail
