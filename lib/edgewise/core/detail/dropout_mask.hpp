#pragma once

#include <cstddef>
#include <cstdint>

#include "edgewise/core/random.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::detail {

/// The key of the mask of element `element` of a matrix. Counters have 32 bits: every 2^32 elements use another key.
inline std::uint64_t mask_key(std::uint64_t key, std::uint64_t element) {
  return key + (element >> 32) * 0x9e3779b97f4a7c15ULL;
}

/// A random dropout mask, generated on demand and never stored: element i is kept if
/// `random_bits(key, i) >= dropout_threshold(probability)`.
class DropoutMask {
 public:
  DropoutMask(float probability, std::uint64_t key)
      : key_(key), threshold_(dropout_threshold(probability)), scale_(1.0F / (1.0F - probability)) {}

  bool is_active() const { return threshold_ != 0; }

  /// 0 or 1 / (1 - probability) for each of the elements, of the first 2^32.
  simd::Native factors_of(simd::NativeUint elements) const {
    return random_bits(key_, elements) >= threshold_ ? scale_ + simd::Native{} : simd::Native{};
  }

  /// Likewise for one element of a mask of any size.
  float factor_of(std::uint64_t element) const {
    const bool is_kept = random_bits(mask_key(key_, element), static_cast<std::uint32_t>(element)) >= threshold_;
    return is_kept ? scale_ : 0.0F;
  }

  /// Factor of the kept elements.
  float scale() const { return scale_; }

  /// Bit l is set if the element in lane l is kept.
  std::uint32_t kept(simd::NativeUint elements) const {
    return simd::lanes_at_least(random_bits(key_, elements), threshold_);
  }

  /// Bit b of words[w] is set if element first + 32 * w + b is kept.
  void draw_bits(std::uint64_t first, std::size_t words, std::uint32_t* bits) const {
    for (std::size_t w = 0; w < words; ++w) {
      const auto element = static_cast<std::uint32_t>(first + 32 * w);
      bits[w] = 0;
      for (std::uint32_t b = 0; b < 32; b += simd::kNativeLanes) bits[w] |= kept(simd::count_from(element + b)) << b;
    }
  }

 private:
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

}  // namespace edgewise::detail
