#pragma once

#include <span>

namespace edgewise {

/// Makes numbers of any unit alike: y = sign(x) log(1 + |x|), then z = (y - mean) * scale, cut at -5 and 5. The
/// logarithm keeps counts, amounts and areas, which have long tails, from being a few large numbers beside many small
/// ones. What is not known (NaN, infinities) becomes 0, the mean.
struct StandardScale {
  double mean = 0;
  double scale = 1;  ///< 1 / deviation; 0 of numbers that do not vary, or none of which is known.

  /// To those of `values` that are known.
  static StandardScale fit(std::span<const float> values);

  float operator()(float value) const;
};

}  // namespace edgewise
