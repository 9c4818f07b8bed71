#pragma once

#include <utility>

#include "edgewise/attention/detail/row_vectors.hpp"
#include "edgewise/core/simd.hpp"

/// Rows of 64 columns with those of the heads in turn: with lanes / H = c, vector v of a row has columns c v ... c v +
/// c - 1 of the first head, then those of the second, and so on. A product of two such rows is summed over its vectors
/// lane by lane, and of the 64 products of a row only 16 (or 8) are left to be summed across lanes, for all heads at once.
namespace edgewise::attention::detail {

template <Layout kLayout>
struct InterleavedRows {
  using Floats = simd::Native;
  static constexpr int kLanes = simd::kNativeLanes;
  static constexpr int kHeads = kLayout.heads;
  static constexpr int kGroup = kLanes / kHeads;  ///< Columns of a head in a vector; also edges whose scores fill one.
  static constexpr int kVectors = kLayout.vectors();
  static_assert(kHeads * kGroup == kLanes && kGroup <= 4, "4 or 8 heads");

  /// A row in registers.
  struct Row {
    Floats vectors[kVectors];
    Floats& operator[](int v) { return vectors[v]; }
    Floats operator[](int v) const { return vectors[v]; }
  };

  static Row load(const float* row) {
    Row vectors;
    for (int v = 0; v < kVectors; ++v) vectors[v] = simd::load_as<Floats>(row + v * kLanes);
    return vectors;
  }
  static void store(float* row, const Row& vectors) {
    for (int v = 0; v < kVectors; ++v) simd::store_as(row + v * kLanes, vectors[v]);
  }

  /// From the order of `by_head`, head after head, to that of the heads in turn.
  static Row interleave(const Row& by_head) { return rotate<kHeads>(by_head); }
  static Row by_head(const Row& interleaved) { return rotate<kVectors>(interleaved); }

  /// Lane l holds the number of the head that it belongs to: numbers[l / c]. Reads 8 numbers.
  static Floats spread(const float* numbers) {
    const simd::Float8 of_heads = simd::load(numbers);
    return with_lanes([=](auto... lane) { return __builtin_shufflevector(of_heads, of_heads, (lane() / kGroup)...); });
  }

  /// Of c edges, one a vector of partial sums, the sums of each head: lane e * H + h.
  static Floats sum_groups(const Floats* edges) {
    if constexpr (kGroup == 1) return edges[0];
    Floats sums = sum_pairs(edges[0], edges[1]);
    if constexpr (kGroup == 4) sums = sum_pairs(sums, sum_pairs(edges[2], edges[3]));
    return with_lanes([=](auto... lane) {
      return __builtin_shufflevector(sums, sums, place_of_sum(lane() / kHeads, lane() % kHeads)...);
    });
  }

 private:
  template <class Body>
  static Floats with_lanes(const Body& body) {
    return [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
      return body(std::integral_constant<int, kLane>()...);
    }(std::make_integer_sequence<int, kLanes>());
  }
  /// Within 128 bits: [a0 + a1, a2 + a3, b0 + b1, b2 + b3].
  static Floats sum_pairs(Floats a, Floats b) {
    const auto half = [=](auto from) {
      return with_lanes([=](auto... lane) {
        return __builtin_shufflevector(
            a, b, (lane() / 4 * 4 + lane() % 2 * 2 + from() + (lane() % 4 < 2 ? 0 : kLanes))...);
      });
    };
    return half(std::integral_constant<int, 0>()) + half(std::integral_constant<int, 1>());
  }
  /// Where `sum_pairs` left the sum of an edge and head.
  static constexpr int place_of_sum(int edge, int head) {
    return kGroup == 4 ? head * 4 + edge : head / 2 * 4 + edge * 2 + head % 2;
  }
  /// Groups of a and b in turn, those of their first halves or their second ones.
  template <bool kSecond>
  static Floats zip(Floats a, Floats b) {
    return with_lanes([=](auto... lane) {
      return __builtin_shufflevector(a, b, (lane() / kGroup / 2 * kGroup + lane() % kGroup +
                                            (lane() / kGroup % 2 == 0 ? 0 : kLanes) + (kSecond ? kLanes / 2 : 0))...);
    });
  }
  /// The groups of a row are numbered by some bits; log2(kTimes) times the first bit of them becomes the last.
  template <int kTimes>
  static Row rotate(const Row& row) {
    if constexpr (kTimes == 1) {
      return row;
    } else {
      Row rotated;
      for (int v = 0; v < kVectors / 2; ++v) {
        rotated[2 * v] = zip<false>(row[v], row[v + kVectors / 2]);
        rotated[2 * v + 1] = zip<true>(row[v], row[v + kVectors / 2]);
      }
      return rotate<kTimes / 2>(rotated);
    }
  }
};

/// scores[e, h] = factor * own[e][h, :] . others[e][h, :], as `dot_rows`, all rows interleaved. Edges of one own row
/// stand together.
template <Layout kLayout, Storage kOwn, Storage kOthers>
void dot_interleaved_rows(const RowVectors<kLayout>& vectors, const GatheredRows<kOwn>& own,
                          const GatheredRows<kOthers>& others, float factor, int count, float* scores) {
  using Rows = InterleavedRows<kLayout>;
  const auto load_own = [=](int e) __attribute__((always_inline)) {
    typename Rows::Row row;
    for (int v = 0; v < Rows::kVectors; ++v) row[v] = vectors.template load_stored<kOwn>(own[e], v);
    return row;
  };
  const auto product = [=](const typename Rows::Row& row, int e) __attribute__((always_inline)) {
    others.prefetch_after(e);
    const float* other = others[e];
    typename Rows::Floats sum = row[0] * vectors.template load_stored<kOthers>(other, 0);
    for (int v = 1; v < Rows::kVectors; ++v) sum += row[v] * vectors.template load_stored<kOthers>(other, v);
    return sum;
  };
  typename Rows::Floats edges[Rows::kGroup] = {};
  for (int e = 0; e < count; e += Rows::kGroup, scores += Rows::kLanes) {
    if (e + Rows::kGroup <= count && own.indices[e] == own.indices[e + Rows::kGroup - 1]) {
      const typename Rows::Row row = load_own(e);
      for (int i = 0; i < Rows::kGroup; ++i) edges[i] = product(row, e + i);
    } else {
      const int last = std::min(Rows::kGroup, count - e);
      for (int i = 0; i < Rows::kGroup; ++i)
        if (i < last) edges[i] = product(load_own(e + i), e + i);
    }
    simd::store_as(scores, factor * Rows::sum_groups(edges));
  }
}

/// The same with own rows that have head after head.
template <Layout kLayout, Storage kOthers>
void dot_with_interleaved_rows(const RowVectors<kLayout>& vectors, const GatheredRows<>& own,
                               const GatheredRows<kOthers>& others, float factor, int count, float* scores) {
  using Rows = InterleavedRows<kLayout>;
  constexpr int kMostRows = kPieceScores / Rows::kHeads;
  alignas(64) float rows[kMostRows * kInterleavedColumns];
  Node places[kMostRows];
  Node place = 0;
  const auto add_row = [&](int e) { Rows::store(rows + place * kInterleavedColumns, Rows::interleave(Rows::load(own[e]))); };
  if (count > 0) add_row(0);
  if (count > 0 && own.indices[0] == own.indices[count - 1]) {
    std::fill_n(places, count, Node{0});
  } else {
    for (int e = 0; e < count; ++e) {
      if (e > 0 && own.indices[e] != own.indices[e - 1]) {
        ++place;
        add_row(e);
      }
      places[e] = place;
    }
  }
  dot_interleaved_rows<kLayout>(vectors, GatheredRows<>{rows, places, kInterleavedColumns}, others, factor, count,
                                scores);
}

/// `sum_rows` of interleaved rows; the sum itself has head after head.
template <Layout kLayout, Start kStart, Storage kStorage>
void sum_interleaved_rows(const RowVectors<kLayout>& vectors, const float* weights, const GatheredRows<kStorage>& rows, int count,
                          const float* factors, float* sum) {
  using Rows = InterleavedRows<kLayout>;
  typename Rows::Row total{};
  for (int e = 0; e < count; ++e, weights += Rows::kHeads) {
    rows.prefetch_after(e);
    const float* row = rows[e];
    const typename Rows::Floats weight = Rows::spread(weights);
    for (int v = 0; v < Rows::kVectors; ++v) total[v] += weight * vectors.template load_stored<kStorage>(row, v);
  }
  if constexpr (kStart == Start::present) {
    const typename Rows::Row start = Rows::interleave(Rows::load(sum));
    for (int v = 0; v < Rows::kVectors; ++v) total[v] += start[v];
  }
  if (factors != nullptr) {
    const typename Rows::Floats factor = Rows::spread(factors);
    for (int v = 0; v < Rows::kVectors; ++v) total[v] *= factor;
  }
  Rows::store(sum, Rows::by_head(total));
}

}  // namespace edgewise::attention::detail
