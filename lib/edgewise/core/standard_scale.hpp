#pragma once

#include <span>

namespace edgewise {

/// sign(x) log(1 + |x|): shortens long tails, such as those of counts, amounts and areas.
double signed_log(double x);

/// Brings numbers of any unit to a similar scale: (signed_log(x) - mean) * scale, clipped to -5 and 5. Values that are
/// not known (NaN, infinities) become 0, the mean.
struct StandardScale {
  double mean = 0;
  double scale = 1;  ///< 1 / deviation; 0 if the numbers do not vary or none is known.

  /// Fits to the known ones of `values`.
  static StandardScale fit(std::span<const float> values);

  float operator()(float value) const;
};

}  // namespace edgewise
