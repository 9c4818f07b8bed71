#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/simd.hpp"

namespace edgewise::attention::detail {

/// The random mask of WeightDropout, drawn where it is needed.
class DropoutMask {
 public:
  explicit DropoutMask(const WeightDropout& dropout)
      : key_(dropout.key),
        threshold_(dropout_threshold(dropout.probability)),
        scale_(1.0F / (1.0F - dropout.probability)) {}

  bool is_active() const { return threshold_ != 0; }

  /// factors[i] = 0 or 1 / (1 - probability), for the elements first, first + 1, ...; in whole vectors.
  void draw(graph::EdgeIndex first, int count, float* factors) const {
    const simd::NativeUint start = simd::count_from(static_cast<std::uint32_t>(first));
    for (int i = 0; i < count; i += simd::kNativeLanes) {
      const simd::NativeUint bits = random_bits(key_, start + static_cast<std::uint32_t>(i));
      simd::store_as(factors + i, bits >= threshold_ ? scale_ + simd::Native{} : simd::Native{});
    }
  }

 private:
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

}  // namespace edgewise::attention::detail
