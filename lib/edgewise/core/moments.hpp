#pragma once

#include <span>

namespace edgewise {

struct Moments {
  double mean = 0;
  double deviation = 0;  ///< Population.
};

/// Zeros without values.
Moments moments_of(std::span<const double> values);

/// Above this kurtosis a few values are so far from all others that they decide most sums. That of the normal
/// distribution is 3, that of the exponential one 9.
inline constexpr double kHeavyTails = 10;

/// The mean fourth power of the standardised values; 0 if they are all the same.
double kurtosis(std::span<const double> values, const Moments& moments);

}  // namespace edgewise
