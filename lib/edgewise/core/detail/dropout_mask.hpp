#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "edgewise/core/random.hpp"
#include "edgewise/core/simd.hpp"

namespace edgewise::detail {

/// The key of the mask of element `element` of a matrix. Counters have 32 bits: each 2^32 elements take another key.
inline std::uint64_t mask_key(std::uint64_t key, std::uint64_t element) {
  return key + (element >> 32) * 0x9e3779b97f4a7c15ULL;
}

/// A random dropout mask, drawn where it is needed and never stored: element i is kept when
/// `random_bits(key, i) >= dropout_threshold(probability)`.
class DropoutMask {
 public:
  DropoutMask(float probability, std::uint64_t key)
      : key_(key), threshold_(dropout_threshold(probability)), scale_(1.0F / (1.0F - probability)) {}

  bool is_active() const { return threshold_ != 0; }

  /// 0 or 1 / (1 - probability) for each of the elements.
  simd::Native factors_of(simd::NativeUint elements) const {
    return random_bits(key_, elements) >= threshold_ ? scale_ + simd::Native{} : simd::Native{};
  }

  /// What kept elements are multiplied by.
  float scale() const { return scale_; }

  /// Bit l is set when the element in lane l is kept.
  std::uint32_t kept(simd::NativeUint elements) const {
    return simd::lanes_at_least(random_bits(key_, elements), threshold_);
  }

  /// Bit b of words[w] is set when element first + 32 * w + b is kept.
  void draw_bits(std::uint64_t first, std::size_t words, std::uint32_t* bits) const {
    for (std::size_t w = 0; w < words; ++w) {
      const auto element = static_cast<std::uint32_t>(first + 32 * w);
      bits[w] = 0;
      for (std::uint32_t b = 0; b < 32; b += simd::kNativeLanes) bits[w] |= kept(simd::count_from(element + b)) << b;
    }
  }

  /// factors[i] = 0 or 1 / (1 - probability), for the elements first, first + 1, ...; in whole vectors.
  void draw(std::uint64_t first, int count, float* factors) const {
    const simd::NativeUint start = simd::count_from(static_cast<std::uint32_t>(first));
    for (int i = 0; i < count; i += simd::kNativeLanes)
      simd::store_as(factors + i, factors_of(start + static_cast<std::uint32_t>(i)));
  }

  /// factors[r, h], for the elements of `count` rows of `heads` each, those of row r being row_of(r) * heads + h; runs
  /// over the end by less than a vector.
  template <class RowOf>
  void draw_rows(RowOf row_of, int count, int heads, float* factors) const {
    for (int r = 0; r < count; ++r)
      for (int h = 0; h < heads; h += simd::kLanes) {
        const auto first = static_cast<std::uint32_t>(row_of(r)) * static_cast<std::uint32_t>(heads);
        const auto elements = simd::Uint8{0, 1, 2, 3, 4, 5, 6, 7} + (first + static_cast<std::uint32_t>(h));
        simd::store(factors + r * heads + h, std::bit_cast<simd::Float8>(elements));
      }
    for (int i = 0; i < count * heads; i += simd::kNativeLanes) {
      const auto elements = simd::load_as<simd::Native>(factors + i);
      simd::store_as(factors + i, factors_of(std::bit_cast<simd::NativeUint>(elements)));
    }
  }

 private:
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

}  // namespace edgewise::detail
