#pragma once

#include <bit>
#include <cstdint>

#include "edgewise/core/detail/simd.hpp"

/// @file
/// What tiles of pairs need beyond core/detail/simd.hpp: sixteen floats, with bits that select lanes.
namespace edgewise::attention::reference {

using simd::Float16;
using simd::Int16;

inline Float16 broadcast_wide(float value) {
  return Float16{value, value, value, value, value, value, value, value,
                 value, value, value, value, value, value, value, value};
}

inline float lane_sum(Float16 v) {
  const simd::Float8 halves = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return ((halves[0] + halves[4]) + (halves[1] + halves[5])) + ((halves[2] + halves[6]) + (halves[3] + halves[7]));
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

/// One condition per lane.
using Lanes = __mmask16;

inline Lanes lanes_of_bits(std::uint64_t bits) { return static_cast<Lanes>(bits); }
inline Lanes lanes_below(int count) { return static_cast<Lanes>((1U << count) - 1U); }
inline Lanes is_greater(Float16 a, Float16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
inline Float16 select(Lanes lanes, Float16 yes, Float16 no) { return _mm512_mask_mov_ps(no, lanes, yes); }
/// a + b in the lanes that are set, a in the others.
inline Float16 add_where(Lanes lanes, Float16 a, Float16 b) { return _mm512_mask_add_ps(a, lanes, a, b); }
inline Float16 max(Float16 a, Float16 b) { return _mm512_max_ps(a, b); }
/// Loads or stores the lanes that are set and touches no other memory; other lanes are loaded as 0.
inline Float16 load_lanes(const float* from, Lanes lanes) { return _mm512_maskz_loadu_ps(lanes, from); }
inline void store_lanes(float* to, Float16 value, Lanes lanes) { _mm512_mask_storeu_ps(to, lanes, value); }

#else

using Lanes = Int16;

inline Lanes lanes_of_bits(std::uint64_t bits) {
  const auto low = static_cast<std::int32_t>(bits & 0xffffU);
  const Int16 bit{1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                  1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  return (bit & low) != 0;
}
inline Lanes lanes_below(int count) {
  return Int16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < count;
}
inline Lanes is_greater(Float16 a, Float16 b) { return a > b; }
inline Float16 select(Lanes lanes, Float16 yes, Float16 no) { return lanes ? yes : no; }
inline Float16 add_where(Lanes lanes, Float16 a, Float16 b) { return a + (lanes ? b : Float16{}); }
inline Float16 max(Float16 a, Float16 b) { return a > b ? a : b; }
inline Float16 load_lanes(const float* from, Lanes lanes) {
  Float16 value{};
  for (int lane = 0; lane < simd::kWideLanes; ++lane)
    if (lanes[lane] != 0) value[lane] = from[lane];
  return value;
}
inline void store_lanes(float* to, Float16 value, Lanes lanes) {
  for (int lane = 0; lane < simd::kWideLanes; ++lane)
    if (lanes[lane] != 0) to[lane] = value[lane];
}

#endif

/// 2^x within 2 units in the last place for x up to 127; exactly 0 below -126, including -infinity. 2^x is 2 to the
/// integer part times a minimax polynomial in the fractional part, in [0, 1), with a relative error of 7.5e-8.
inline Float16 exp2_or_zero(Float16 x) {
  const auto polynomial = [](Float16 f) {
    Float16 p = broadcast_wide(1.877576673e-3F);
    p = p * f + broadcast_wide(8.989340095e-3F);
    p = p * f + broadcast_wide(5.582631805e-2F);
    p = p * f + broadcast_wide(2.40153617e-1F);
    p = p * f + broadcast_wide(6.931530732e-1F);
    return p * f + broadcast_wide(9.999999251e-1F);
  };
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  constexpr int kMinusFloor = 0x09;
  const Lanes is_normal = _mm512_cmp_ps_mask(x, broadcast_wide(-126.0F), _CMP_GE_OQ);
  return _mm512_maskz_scalef_ps(is_normal, polynomial(_mm512_reduce_ps(x, kMinusFloor)), x);
#else
  const Float16 clamped = x < -126.0F ? broadcast_wide(-126.0F) : (x > 127.0F ? broadcast_wide(127.0F) : x);
  Int16 whole = __builtin_convertvector(clamped, Int16);        // rounds towards zero
  whole += __builtin_convertvector(whole, Float16) > clamped;   // a true lane is -1: floor
  const Float16 p = polynomial(clamped - __builtin_convertvector(whole, Float16));
  const Float16 result = p * std::bit_cast<Float16>((whole + 127) << 23);
  return x < -126.0F ? Float16{} : result;
#endif
}

inline constexpr float kLog2OfE = 1.44269504F;

}  // namespace edgewise::attention::reference
