#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "edgewise/attention/detail/interleaved_rows.hpp"
#include "edgewise/attention/detail/row_vectors.hpp"

/// What every score needs of rows [H * D]: dot products of one row with gathered rows, head by head, and sums of
/// gathered rows weighted head by head. Scores of a piece of a row's edges are kept flat, [edges, H], in L1.
namespace edgewise::attention::detail {

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

/// `dot_rows` of rows that have head after head.
template <Layout kLayout, Storage kOwn, Storage kOthers>
void dot_rows_by_head(const RowVectors<kLayout>& vectors, const GatheredRows<kOwn>& own,
                      const GatheredRows<kOthers>& others, float factor, int count, float* scores) {
  using Floats = typename RowVectors<kLayout>::Floats;
  const int per_head = vectors.per_head();
  sum_terms<Floats, kLayout.heads>(vectors.shape.heads, count, factor, scores, [=](int e)
                                                                                   __attribute__((always_inline)) {
    others.prefetch_after(e);
    return [=, a = own[e], b = others[e]](int head) __attribute__((always_inline)) {
      const int first = head * per_head;
      const auto product = [&](int v) {
        return vectors.template load_stored<kOwn>(a, v) * vectors.template load_stored<kOthers>(b, v);
      };
      Floats sum = product(first);
      for (int v = first + 1; v < first + per_head; ++v) sum += product(v);
      return sum;
    };
  });
}

/// scores[e, h] = own[e][h, :] . others[e][h, :] * factor. Where the layout is interleaved, own rows in float32 have
/// head after head all the same.
template <Layout kLayout, Storage kOwn, Storage kOthers>
void dot_rows(const HeadShape& shape, GatheredRows<kOwn> own, GatheredRows<kOthers> others, float factor, int count,
              float* scores) {
  const RowVectors<kLayout> vectors{shape};
  own.columns = vectors.template stored_columns<kOwn>();
  others.columns = vectors.template stored_columns<kOthers>();
  if constexpr (!kLayout.is_interleaved)
    dot_rows_by_head(vectors, own, others, factor, count, scores);
  else if constexpr (kOwn == Storage::float32)
    dot_with_interleaved_rows(vectors, own, others, factor, count, scores);
  else
    dot_interleaved_rows(vectors, own, others, factor, count, scores);
}

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

/// `sum_rows` of rows that have head after head.
template <Layout kLayout, Start kStart, Storage kStorage>
void sum_rows_by_head(const RowVectors<kLayout>& vectors, const float* weights, const GatheredRows<kStorage>& rows,
                      int count, const float* factors, float* sum) {
  int v = 0;
  const auto tiles = [&](auto size) {
    for (; v + size <= vectors.count(); v += size)
      sum_tile<kLayout, size, kStart, kStorage>(vectors, v, weights, rows, count, factors, sum);
  };
  tiles(std::integral_constant<int, 8>());
  tiles(std::integral_constant<int, 4>());
  tiles(std::integral_constant<int, 1>());
}

/// sum[h, :] = (sum[h, :] or 0 + sum over e of weights[e, h] * rows[e][h, :]) * factors[h] (or 1: nullptr)
template <Layout kLayout, Start kStart, Storage kStorage>
void sum_rows(const HeadShape& shape, const float* weights, GatheredRows<kStorage> rows, int count,
              const float* factors, float* sum) {
  const RowVectors<kLayout> vectors{shape};
  rows.columns = vectors.template stored_columns<kStorage>();
  if constexpr (kLayout.is_interleaved)
    sum_interleaved_rows<kLayout, kStart>(vectors, weights, rows, count, factors, sum);
  else
    sum_rows_by_head<kLayout, kStart>(vectors, weights, rows, count, factors, sum);
}

/// As `sum_rows` for where the layout is not known: sum[h, :] += sum over e of weights[e, h] * rows[e][h, :]
inline void add_weighted_rows(const HeadShape& shape, const float* weights, const GatheredRows<>& rows, int count,
                              float* sum) {
  with_constant_width(shape.width, std::integral_constant<int, 0>(), [&](auto layout) {
    sum_rows<layout(), Start::present>(shape, weights, rows, count, nullptr, sum);
  });
}

}  // namespace edgewise::attention::detail
