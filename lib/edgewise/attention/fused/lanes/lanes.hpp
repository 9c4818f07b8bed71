#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "edgewise/core/detail/simd.hpp"

/// @file
/// The vector types of the driver, their loads and stores, and sums across their lanes.
namespace edgewise::attention::fused {

/// Kernels are made of many small functions, which must be inlined into the loops that call them.
#define EDGEWISE_INLINE [[gnu::always_inline]] inline
#define EDGEWISE_INLINE_LAMBDA __attribute__((always_inline))

using simd::load_as;
using simd::store_as;
using Floats = simd::Native;
inline constexpr int kLanes = simd::kNativeLanes;
using Ints [[gnu::vector_size(sizeof(Floats))]] = std::int32_t;

/// An index vector with of(lane) in each lane.
template <class Of>
constexpr Ints lanes(Of of) {
  return [of]<int... lane>(std::integer_sequence<int, lane...>) {
    return Ints{of(lane)...};
  }(std::make_integer_sequence<int, kLanes>());
}
inline constexpr Ints kLane = lanes([](int lane) { return lane; });

EDGEWISE_INLINE Floats load(const float* from) { return load_as<Floats>(from); }
EDGEWISE_INLINE void store(float* to, Floats value) { store_as(to, value); }
EDGEWISE_INLINE Ints load_indices(const std::uint32_t* from) {
  Ints indices;
  std::memcpy(&indices, from, sizeof(indices));
  return indices;
}

/// Concatenates as many parts as fill a vector.
template <class Part>
EDGEWISE_INLINE Floats joined(const Part* parts) {
  if constexpr (sizeof(Part) == sizeof(Floats)) {
    return parts[0];
  } else {
    using Wider = decltype(simd::join(parts[0], parts[0]));
    Wider wider[sizeof(Floats) / sizeof(Wider)];
    for (std::size_t i = 0; i < std::size(wider); ++i) wider[i] = simd::join(parts[2 * i], parts[2 * i + 1]);
    return joined(wider);
  }
}

/// `value`, but no product in it becomes part of an fma.
EDGEWISE_INLINE Floats rounded(Floats value) {
#if defined(__AVX512F__)
  asm("" : "+v"(value));
#elif defined(__AVX__)
  asm("" : "+x"(value));
#else
  asm("" : "+m"(value));
#endif
  return value;
}

/// The 4 or 8 numbers at `from`, repeated to fill a vector: one load, where shuffles would take three.
template <int kCount>
EDGEWISE_INLINE Floats load_repeated(const float* from) {
#if defined(__AVX512F__)
  // With a mask of all lanes: GCC 12 warns about what it writes itself for those without.
  if constexpr (kCount == 4)
    return _mm512_maskz_broadcast_f32x4(static_cast<__mmask16>(-1), _mm_loadu_ps(from));
  else
    return _mm512_castpd_ps(
        _mm512_maskz_broadcast_f64x4(static_cast<__mmask8>(-1), _mm256_castps_pd(_mm256_loadu_ps(from))));
#else
  if constexpr (kCount == 8) return load(from);
  const auto half = load_as<simd::Float4>(from);
  return simd::join(half, half);
#endif
}

/// Prefetches the cache lines of [from + first, from + last). A function that only calls this must be EDGEWISE_INLINE
/// as well: GCC 12 considers a function that only prefetches free of side effects, and drops the calls to it.
template <class Element>
EDGEWISE_INLINE void prefetch(const Element* from, int first, int last) {
  constexpr int kLine = 64 / sizeof(Element);
  for (int i = first; i < last; i += kLine) __builtin_prefetch(from + i);
}

/// The sums of lanes 2i and 2i + 1 of a and of b within each group of 128 bits: [a0 + a1, a2 + a3, b0 + b1, b2 + b3].
EDGEWISE_INLINE Floats add_pairs(Floats a, Floats b) {
  constexpr auto pick = [](int odd) {
    return lanes([odd](int l) { return l / 4 * 4 + l % 2 * 2 + odd + (l % 4 < 2 ? 0 : kLanes); });
  };
  constexpr Ints even = pick(0), odd = pick(1);
  return __builtin_shuffle(a, b, even) + __builtin_shuffle(a, b, odd);
}
/// Likewise for groups of 128 bits: the sums of pairs of them from a, then from b.
EDGEWISE_INLINE Floats add_quarters(Floats a, Floats b) {
  constexpr auto pick = [](int odd) {
    return lanes([odd](int l) { return l % 4 + l % (kLanes / 2) / 4 * 8 + odd * 4 + (l < kLanes / 2 ? 0 : kLanes); });
  };
  constexpr Ints even = pick(0), odd = pick(1);
  return __builtin_shuffle(a, b, even) + __builtin_shuffle(a, b, odd);
}
/// The sums of 4 neighbouring lanes of 4 vectors: lane 4q + i of the result is the sum of group q of vector i.
EDGEWISE_INLINE Floats add_fours(const Floats* v) { return add_pairs(add_pairs(v[0], v[1]), add_pairs(v[2], v[3])); }

/// The sums of `kWidth` (4, 8 or kLanes) neighbouring lanes of `kWidth` consecutive vectors: lane s of the result is
/// the sum of numbers s * kWidth ... (s + 1) * kWidth - 1.
template <int kWidth>
EDGEWISE_INLINE Floats sums_of_lanes(const Floats* v) {
  if constexpr (kWidth == 4) {
    constexpr int kGroups = kLanes / 4;
    constexpr Ints order = lanes([](int s) { return s % kGroups * 4 + s / kGroups; });
    return __builtin_shuffle(add_fours(v), order);
  } else if constexpr (kWidth == 8 && kLanes == 16) {
    constexpr Ints order = lanes([](int s) { return s / 8 * 8 + s % 2 * 4 + s % 8 / 2; });
    return __builtin_shuffle(add_quarters(add_fours(v), add_fours(v + 4)), order);
  } else if constexpr (kWidth == 8) {
    return add_quarters(add_fours(v), add_fours(v + 4));
  } else {
    static_assert(kWidth == 16 && kLanes == 16);
    return add_quarters(add_quarters(add_fours(v), add_fours(v + 4)),
                        add_quarters(add_fours(v + 8), add_fours(v + 12)));
  }
}

/// sum[l] += lane l of each vector of `count` flat numbers. Reads whole vectors, but ignores what follows the numbers.
EDGEWISE_INLINE Floats add_lanes(Floats sum, const float* numbers, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += load(numbers + i);
  if (i < count) sum += i + kLane < count ? load(numbers + i) : Floats{};
  return sum;
}

/// Reduces the lanes of each head with `op`; lane l belongs to head l % heads. Every lane of a head gets the result.
template <class Op>
EDGEWISE_INLINE Floats across_edges(Floats v, int heads, Op op) {
  for (int step = heads; step < kLanes; step *= 2) v = op(v, __builtin_shuffle(v, kLane ^ step));
  return v;
}

}  // namespace edgewise::attention::fused
