#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// @file
/// Several floats at a time through the compiler's vector types: one source for AVX-512, AVX2 and anything older.
namespace edgewise::simd {

inline constexpr int kLanes = 8;

using Float8 [[gnu::vector_size(32)]] = float;
using Int8 [[gnu::vector_size(32)]] = std::int32_t;
using Uint8 [[gnu::vector_size(32)]] = std::uint32_t;

/// Twice as wide, for matrix products: one register or two.
inline constexpr int kWideLanes = 16;
using Float16 [[gnu::vector_size(64)]] = float;
using Int16 [[gnu::vector_size(64)]] = std::int32_t;
using Uint16 [[gnu::vector_size(64)]] = std::uint32_t;

/// As wide as one register of this machine.
#if defined(__AVX512F__)
using Native = Float16;
#else
using Native = Float8;
#endif
template <class Floats>
inline constexpr int kLanesOf = sizeof(Floats) / sizeof(float);
inline constexpr int kNativeLanes = kLanesOf<Native>;

namespace detail {
template <class Floats>
struct Unsigned;
template <>
struct Unsigned<float> {
  using Type = std::uint32_t;
};
template <>
struct Unsigned<Float8> {
  using Type = Uint8;
};
template <>
struct Unsigned<Float16> {
  using Type = Uint16;
};
}  // namespace detail
template <class Floats>
using UnsignedOf = typename detail::Unsigned<Floats>::Type;

using NativeUint = UnsignedOf<Native>;
/// first, first + 1, ...
inline NativeUint count_from(std::uint32_t first) {
#if defined(__AVX512F__)
  return NativeUint{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + first;
#else
  return NativeUint{0, 1, 2, 3, 4, 5, 6, 7} + first;
#endif
}

inline Float8 broadcast(float value) { return Float8{value, value, value, value, value, value, value, value}; }

inline Float8 load(const float* from) {
  Float8 value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

inline void store(float* to, Float8 value) { std::memcpy(to, &value, sizeof(value)); }

/// `load` for any vector type.
template <class Floats>
Floats load_as(const float* from) {
  Floats value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <class Floats>
void store_as(float* to, Floats value) {
  std::memcpy(to, &value, sizeof(value));
}

inline Float16 load_wide(const float* from) {
  Float16 value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

inline void store_wide(float* to, Float16 value) { std::memcpy(to, &value, sizeof(value)); }

#if defined(__AVX2__)
namespace detail {
/// Lanes below `count` set.
inline __m256i lane_mask(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
}  // namespace detail
#endif

/// The first `count` (1 to 8) floats, followed by zeros; nothing after them is read.
inline Float8 load(const float* from, int count) {
#if defined(__AVX2__)
  return _mm256_maskload_ps(from, detail::lane_mask(count));
#else
  Float8 value{};
  std::memcpy(&value, from, static_cast<std::size_t>(count) * sizeof(float));
  return value;
#endif
}

inline void store(float* to, Float8 value, int count) {
#if defined(__AVX2__)
  _mm256_maskstore_ps(to, detail::lane_mask(count), value);
#else
  std::memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(float));
#endif
}

inline Float8 max(Float8 a, Float8 b) { return a > b ? a : b; }

/// The first `count` lanes of `value`, followed by those of `others`.
inline Float8 first_lanes(Float8 value, int count, Float8 others) {
  return Int8{0, 1, 2, 3, 4, 5, 6, 7} < count ? value : others;
}

/// Bit l is set if lane l is not 0.
inline std::uint32_t nonzero_lanes(Float8 value) {
#if defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_NEQ_UQ)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) bits |= static_cast<std::uint32_t>(value[lane] != 0.0F) << lane;
  return bits;
#endif
}

/// The first `count` floats as a vector of this machine's width; no float after them is read or written.
inline Native load_first(const float* from, int count) {
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
#else
  return load(from, count);
#endif
}

inline void store_first(float* to, Native value, int count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), value);
#else
  store(to, value, count);
#endif
}

/// Bit l is set if lane l is at least `bound`.
inline std::uint32_t lanes_at_least(NativeUint value, std::uint32_t bound) {
#if defined(__AVX512F__)
  std::uint32_t bits =
      _mm512_cmpge_epu32_mask(reinterpret_cast<__m512i>(value), _mm512_set1_epi32(static_cast<int>(bound)));
  asm("" : "+r"(bits));  // otherwise GCC 12 at -O1 spills the 16 bits of the mask and reads 32 back
  return bits;
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(value >= bound)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kNativeLanes; ++lane) bits |= static_cast<std::uint32_t>(value[lane] >= bound) << lane;
  return bits;
#endif
}

/// `value` in the lanes whose bits are set in `kept`, 0 in the others.
[[gnu::always_inline]] inline Native keep(Native value, std::uint32_t kept) {
#if defined(__AVX512F__)
  return _mm512_maskz_mov_ps(static_cast<__mmask16>(kept), value);
#else
  return ((NativeUint{} + kept) & NativeUint{1, 2, 4, 8, 16, 32, 64, 128}) != 0 ? value : Native{};
#endif
}

/// sum + factor * value in the lanes where `word` has a bit of `lane_bits`, sum in the others.
[[gnu::always_inline]] inline Native add_product_where(NativeUint word, NativeUint lane_bits, Native factor,
                                                       Native value, Native sum) {
#if defined(__AVX512F__)
  const __mmask16 lanes = _mm512_test_epi32_mask(reinterpret_cast<__m512i>(word), reinterpret_cast<__m512i>(lane_bits));
  return _mm512_mask3_fmadd_ps(factor, value, sum, lanes);
#else
  return sum + ((word & lane_bits) != 0 ? factor : Native{}) * value;
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
namespace detail {
using Bytes8 = std::array<std::uint64_t, 256>;

/// For each byte, the positions of its set bits, side by side.
inline constexpr Bytes8 kSetBits = [] {
  Bytes8 positions{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, count = 0; bit < 8; ++bit)
      if ((byte >> bit & 1) != 0) positions[byte] |= std::uint64_t{bit} << (8 * count++);
  return positions;
}();

/// For each byte, how many bits are set below each of its bits.
inline constexpr Bytes8 kSetBitsBelow = [] {
  Bytes8 counts{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, count = 0; bit < 8; count += byte >> bit++ & 1)
      counts[byte] |= std::uint64_t{count} << (8 * bit);
  return counts;
}();

/// value[lanes[0]], value[lanes[1]], ...; a lane is a byte of `lanes`.
inline Float8 permute(Float8 value, std::uint64_t lanes) {
  return _mm256_permutevar8x32_ps(value, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(lanes))));
}
}  // namespace detail
#endif

/// Moves the lanes whose bits are set in `kept` to the front, in their order; what follows them is undefined.
inline Native compress(Native value, std::uint32_t kept) {
#if defined(__AVX512F__)
  return _mm512_maskz_compress_ps(static_cast<__mmask16>(kept), value);
#elif defined(__AVX2__)
  return detail::permute(value, detail::kSetBits[kept]);
#else
  Native front{};
  for (int lane = 0, count = 0; lane < kNativeLanes; ++lane) {
    front[count] = value[lane];
    count += static_cast<int>(kept >> lane & 1);
  }
  return front;
#endif
}

/// The inverse: moves the first lanes to those whose bits are set in `kept`, in their order; 0 in the others.
inline Native expand(Native value, std::uint32_t kept) {
#if defined(__AVX512F__)
  return _mm512_maskz_expand_ps(static_cast<__mmask16>(kept), value);
#elif defined(__AVX2__)
  return keep(detail::permute(value, detail::kSetBitsBelow[kept]), kept);
#else
  Native spread{};
  for (int lane = 0, count = 0; lane < kNativeLanes; ++lane)
    if ((kept >> lane & 1) != 0) spread[lane] = value[count++];
  return spread;
#endif
}

/// Four floats, to build wider vectors from.
using Float4 [[gnu::vector_size(16)]] = float;

inline Float8 join(Float4 low, Float4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
inline Float16 join(Float8 low, Float8 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Lane l of the result is the sum of the lanes of v[l], for as many vectors as there are lanes.
[[gnu::always_inline]] inline Float8 lane_sums(const Float8* v) {
  // Within lanes of 128 bits, where a shuffle of two registers is one instruction: [a0+a1, a2+a3, b0+b1, b2+b3].
  const auto pairs = [](Float8 a, Float8 b) {
    return __builtin_shuffle(a, b, Int8{0, 2, 8, 10, 4, 6, 12, 14}) +
           __builtin_shuffle(a, b, Int8{1, 3, 9, 11, 5, 7, 13, 15});
  };
  const Float8 low = pairs(pairs(v[0], v[1]), pairs(v[2], v[3]));
  const Float8 high = pairs(pairs(v[4], v[5]), pairs(v[6], v[7]));
  return __builtin_shuffle(low, high, Int8{0, 1, 2, 3, 8, 9, 10, 11}) +
         __builtin_shuffle(low, high, Int8{4, 5, 6, 7, 12, 13, 14, 15});
}

[[gnu::always_inline]] inline Float16 lane_sums(const Float16* v) {
  const auto pairs = [](Float16 a, Float16 b) {
    return __builtin_shuffle(a, b, Int16{0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30}) +
           __builtin_shuffle(a, b, Int16{1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31});
  };
  const auto quads = [pairs](const Float16* of) { return pairs(pairs(of[0], of[1]), pairs(of[2], of[3])); };
  const auto across = [](Float16 a, Float16 b) {  // lanes of 128 bits
    return __builtin_shuffle(a, b, Int16{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}) +
           __builtin_shuffle(a, b, Int16{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31});
  };
  return across(across(quads(v), quads(v + 4)), across(quads(v + 8), quads(v + 12)));
}

/// e^x within 2 units in the last place (Cephes' expf polynomial); 1e-38 below -87.3. x must be at most 88.
template <class Floats>
[[gnu::always_inline]] inline Floats exp(Floats x) {
  using Bits = UnsignedOf<Floats>;
  constexpr float kRoundsToWhole = 12582912.0F;  // 1.5 * 2^23: adding it rounds away the fraction
  x = x < -87.3F ? Floats{} - 87.3F : x;  // NaN stays NaN
  const Floats rounded = x * 1.44269504F + kRoundsToWhole;
  const Floats n = rounded - kRoundsToWhole;
  const Floats r = x - n * 0.693359375F + n * 2.12194440e-4F;
  Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + (r + 1.0F);
  return std::bit_cast<Floats>(std::bit_cast<Bits>(p) + (std::bit_cast<Bits>(rounded) << 23));
}

/// Natural logarithm of a positive, normal x within 2 units in the last place (Cephes' logf polynomial).
template <class Floats>
[[gnu::always_inline]] inline Floats log(Floats x) {
  using Bits = UnsignedOf<Floats>;
  const Bits bits = std::bit_cast<Bits>(x);
  auto mantissa = std::bit_cast<Floats>((bits & 0x007fffffU) | 0x3f000000U);  // in [0.5, 1)
  const auto is_small = mantissa < 0.707106781F;                              // a true lane is -1
  const auto exponent = std::bit_cast<std::remove_const_t<decltype(is_small)>>(bits >> 23) - 126 + is_small;
  mantissa = (is_small ? mantissa + mantissa : mantissa) - 1.0F;
  const Floats e = __builtin_convertvector(exponent, Floats);
  const Floats square = mantissa * mantissa;
  Floats p = mantissa * 7.0376836292e-2F - 1.1514610310e-1F;
  p = p * mantissa + 1.1676998740e-1F;
  p = p * mantissa - 1.2420140846e-1F;
  p = p * mantissa + 1.4249322787e-1F;
  p = p * mantissa - 1.6668057665e-1F;
  p = p * mantissa + 2.0000714765e-1F;
  p = p * mantissa - 2.4999993993e-1F;
  p = p * mantissa + 3.3333331174e-1F;
  return mantissa + (p * mantissa * square + e * -2.12194440e-4F - 0.5F * square) + e * 0.693359375F;
}

/// 1 / x within 1 unit in the last place, for x that is neither 0 nor near the largest float.
template <class Floats>
[[gnu::always_inline]] inline Floats reciprocal(Floats x) {
#if defined(__AVX512F__)
  if constexpr (kLanesOf<Floats> == 16) {
    const Floats guess = _mm512_maskz_rcp14_ps(0xffff, x);  // 14 bits; a step of Newton's method doubles them
    return guess + guess * (1.0F - x * guess);
  }
#endif
  return 1.0F / x;
}

/// tanh(x) within 8 units in the last place: a rational minimax approximation, odd, of degree 13 over 6, on [-7.9,
/// 7.9]; beyond, tanh(x) rounds to 1 or -1.
template <class Floats>
[[gnu::always_inline]] inline Floats tanh(Floats x) {
  constexpr float kLargest = 7.90531110763549805F;
  x = x > kLargest ? Floats{} + kLargest : x;
  x = x < -kLargest ? Floats{} - kLargest : x;  // NaN stays NaN
  const Floats square = x * x;
  Floats p = square * -2.76076847742355e-16F + 2.00018790482477e-13F;
  p = p * square - 8.60467152213735e-11F;
  p = p * square + 5.12229709037114e-08F;
  p = p * square + 1.48572235717979e-05F;
  p = p * square + 6.37261928875436e-04F;
  p = p * square + 4.89352455891786e-03F;
  Floats q = square * 1.19825839466702e-06F + 1.18534705686654e-04F;
  q = q * square + 2.26843463243900e-03F;
  q = q * square + 4.89352518554385e-03F;
  return x * p * reciprocal(q);
}

}  // namespace edgewise::simd
