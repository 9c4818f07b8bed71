#pragma once

#include <cstddef>

#include "edgewise/attention/fused/lanes/lanes.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// How the heads of a row are laid out in vectors.
namespace edgewise::attention::fused {

using graph::EdgeIndex;
using graph::Node;

/// The number of vectors of a row whose sums are kept in registers at once.
inline constexpr int kBlockVectors = 64 / kLanes;

#if defined(__AVX512F__)
EDGEWISE_INLINE simd::Int8 lower_half(Ints v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
EDGEWISE_INLINE simd::Int8 upper_half(Ints v) { return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15); }
#endif

/// A group of heads of one width. Their number is a power of two and at most kLanes; each has 4, 8 or a multiple of
/// kLanes columns, and together they fill at least one vector. Scores are stored flat, [edges, heads]: those of
/// `edges()` edges fill a vector, and its lane l belongs to head l % heads. kHeads > 0: both sizes are compile-time
/// constants.
template <int kHeads, int kWidth>
struct Layout {
  static constexpr bool kIsStatic = kHeads > 0;
  static_assert(!kIsStatic || (kLanes % kHeads == 0 && kHeads * kWidth % kLanes == 0));

  /// Static sizes only: the lane from which each lane of vector v gets the number of its head.
  template <int v>
  static constexpr Ints kIndex =
      lanes([](int l) { return l / std::max(1, kHeads) * kHeads + (v * kLanes + l) / std::max(1, kWidth); });

  /// Whether the scores of several rows share a vector. With one head, a short row alone would leave most of it empty
  /// (sharing is 1.4 to 2 times as fast at 6 edges per row).
  static constexpr bool kSharesVectors = kHeads == 1;

  int run_time_heads = kHeads;
  int run_time_width = kWidth;

  constexpr int heads() const { return kIsStatic ? kHeads : run_time_heads; }
  constexpr int width() const { return kIsStatic ? kWidth : run_time_width; }
  constexpr int columns() const { return heads() * width(); }
  constexpr int vectors() const { return columns() / kLanes; }
  /// The number of edges whose scores fill a vector.
  constexpr int edges() const { return kLanes / heads(); }
  /// Which of them each lane belongs to.
  EDGEWISE_INLINE Ints edge_of_lane() const { return kLane >> std::countr_zero(static_cast<unsigned>(heads())); }
  /// With sizes at run time.
  constexpr Layout<0, 0> any() const { return {heads(), width()}; }

  /// Calls block(first, size) for the vectors of a row, `size` at a time. `size` is a compile-time constant.
  template <class Block>
  EDGEWISE_INLINE void for_each_block(Block&& block) const {
    if constexpr (kIsStatic) {
      block(0, std::integral_constant<int, kHeads * kWidth / kLanes>());
    } else {
      int first = 0;
      for (; first + kBlockVectors <= vectors(); first += kBlockVectors)
        block(first, std::integral_constant<int, kBlockVectors>());
      for (; first < vectors(); ++first) block(first, std::integral_constant<int, 1>());
    }
  }

  /// The sums over the columns of each head for each of `edges()` edges. term(edge, vector) has the values of kLanes
  /// columns.
  template <class Term>
  EDGEWISE_INLINE Floats sums_of_heads(Term term) const {
    Floats of[kLanes];
    if constexpr (kIsStatic) {
      constexpr int kPerHead = std::max(1, kWidth / kLanes), kSums = kHeads * kWidth / kLanes / kPerHead;
      for (int e = 0; e < kLanes / kHeads; ++e)
        for (int s = 0; s < kSums; ++s) {
          of[e * kSums + s] = term(e, s * kPerHead);
          for (int v = 1; v < kPerHead; ++v) of[e * kSums + s] += term(e, s * kPerHead + v);
        }
      return sums_of_lanes<std::min(kWidth, kLanes)>(of);
    } else {
      const int per_head = width() < kLanes ? 1 : width() / kLanes;
      int sum = 0;
      for (int e = 0; e < edges(); ++e)
        for (int v = 0; v < vectors(); v += per_head, ++sum) {
          of[sum] = term(e, v);
          for (int more = 1; more < per_head; ++more) of[sum] += term(e, v + more);
        }
      switch (width()) {
        case 4:
          return sums_of_lanes<4>(of);
        case 8:
          return sums_of_lanes<8>(of);
        default:
          return sums_of_lanes<kLanes>(of);
      }
    }
  }

  /// The head that each lane of vector `v` of a row belongs to.
  EDGEWISE_INLINE Ints heads_of_vector(int v) const {
    if (width() >= kLanes) return Ints{} + v / (width() / kLanes);
    return (kLane + v * kLanes) / width();
  }

  /// The `heads()` numbers at `from`, repeated to fill a vector. May read a whole vector.
  EDGEWISE_INLINE Floats repeat(const float* from) const {
    if constexpr (kHeads == 1)
      return Floats{} + *from;
    else if constexpr (kHeads == 4 || kHeads == 8)
      return load_repeated<kHeads>(from);
    else
      return __builtin_shuffle(load(from), kLane & (heads() - 1));
  }

  /// As `repeat`, but reads nothing after the numbers, which may be the last of a table.
  EDGEWISE_INLINE Floats repeat_row(const float* from) const {
    if constexpr (kIsStatic) return repeat(from);
    Floats numbers{};
    std::memcpy(&numbers, from, static_cast<std::size_t>(heads()) * sizeof(float));
    return __builtin_shuffle(numbers, kLane & (heads() - 1));
  }

  /// Stores one number per head; nothing after them is written. The numbers of a row often follow those of the row
  /// before, and a load that overlaps a masked store has to wait for it, so the common sizes have stores of their own.
  EDGEWISE_INLINE void store_row_of_heads(float* to, Floats numbers) const {
    if constexpr (kHeads == 1)
      *to = numbers[0];
    else if constexpr (kHeads == 4 || kHeads == 8)
      std::memcpy(to, &numbers, kHeads * sizeof(float));
    else
      simd::store_first(to, numbers, heads());
  }

  /// Broadcasts one number per head to the columns of kSize vectors of a row, from vector `first` on. Each lane picks
  /// from its own repetition of the numbers, so that with at most 4 heads a shuffle stays within 128 bits.
  template <int kSize>
  struct Spread {
    Ints index[kIsStatic ? 1 : kSize];  ///< Not used if sizes are static.

    /// all: the result of `repeat`.
    EDGEWISE_INLINE void operator()(Floats all, Floats* spread) const {
      [&]<int... v>(std::integer_sequence<int, v...>) EDGEWISE_INLINE_LAMBDA {
        if constexpr (kIsStatic)
          ((spread[v] = __builtin_shuffle(all, kIndex<v>)), ...);
        else
          ((spread[v] = __builtin_shuffle(all, index[v])), ...);
      }(std::make_integer_sequence<int, kSize>());
    }
  };
  template <int kSize>
  EDGEWISE_INLINE Spread<kSize> spread(int first) const {
    Spread<kSize> result{};
    if constexpr (!kIsStatic)
      for (int v = 0; v < kSize; ++v) result.index[v] = heads_of_vector(first + v);
    return result;
  }

  /// Gathers one number per head from each of `edges()` rows, in the order of flat scores. Rows are `stride` apart.
  EDGEWISE_INLINE Floats gather(const float* table, const Node* rows, std::size_t stride) const {
    if constexpr (kHeads == 4 || kHeads == 8) {
      using Part = std::conditional_t<kHeads == 4, simd::Float4, simd::Float8>;
      Part of[kLanes / kHeads];
      for (int e = 0; e < kLanes / kHeads; ++e) of[e] = load_as<Part>(table + rows[e] * stride);
      return joined(of);
    } else {
      if (heads() == kLanes) return load(table + rows[0] * stride);
      if (heads() == 4) return Layout<4, kLanes>().gather(table, rows, stride);
      if (heads() == 8) return Layout<8, kLanes>().gather(table, rows, stride);
      return gather_numbers(table, rows, stride);
    }
  }

 private:
  /// `gather`, one number at a time.
  EDGEWISE_INLINE Floats gather_numbers(const float* table, const Node* rows, std::size_t stride) const {
#if defined(__AVX512F__)
    const Ints row = __builtin_shuffle(load_indices(rows), edge_of_lane()), head = kLane & (heads() - 1);
    const __m512i step = _mm512_set1_epi64(static_cast<long long>(stride));
    const auto eight = [=](simd::Int8 rows_of, simd::Int8 heads_of) EDGEWISE_INLINE_LAMBDA {
      const __m512i first = _mm512_mul_epu32(_mm512_cvtepu32_epi64(std::bit_cast<__m256i>(rows_of)), step);
      const __m512i at = _mm512_add_epi64(first, _mm512_cvtepu32_epi64(std::bit_cast<__m256i>(heads_of)));
      return std::bit_cast<simd::Float8>(_mm512_i64gather_ps(at, table, sizeof(float)));
    };
    return simd::join(eight(lower_half(row), lower_half(head)), eight(upper_half(row), upper_half(head)));
#else
    alignas(64) float of[kLanes];
    for (int e = 0; e < edges(); ++e)
      for (int h = 0; h < heads(); ++h) of[e * heads() + h] = table[rows[e] * stride + static_cast<std::size_t>(h)];
    return load(of);
#endif
  }
};

/// Sizes that are only known at run time.
using AnyLayout = Layout<0, 0>;

/// Calls body(layout) with the one of `Layouts` that has these sizes, or with the sizes themselves.
template <class... Layouts, class Body>
void with_layout(const AnyLayout& sizes, const Body& body) {
  const auto run_if = [&]<class Layout>(const Layout& layout) {
    if (sizes.heads() != layout.heads() || sizes.width() != layout.width()) return false;
    body(layout);
    return true;
  };
  if (!(run_if(Layouts()) || ...)) body(sizes);
}

}  // namespace edgewise::attention::fused
