#include "edgewise/core/standard_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace edgewise {
namespace {

constexpr double kLargest = 5;  // deviations from the mean

/// NaN if the value is not known.
double compressed(float value) {
  const double number = value;
  return std::isfinite(number) ? signed_log(number) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double signed_log(double x) { return std::copysign(std::log1p(std::abs(x)), x); }

StandardScale StandardScale::fit(std::span<const float> values) {
  std::vector<double> known;
  for (const float value : values)
    if (const double number = compressed(value); !std::isnan(number)) known.push_back(number);
  double sum = 0, squares = 0;
  for (const double value : known) sum += value;
  const double count = std::max<double>(1, static_cast<double>(known.size())), mean = sum / count;
  for (const double value : known) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / count);
  // Below this, the differences are rounding errors of the mean.
  return {mean, deviation > 1e-6 * std::abs(mean) && deviation > 0 ? 1 / deviation : 0};
}

float StandardScale::operator()(float value) const {
  const double number = compressed(value);
  return std::isnan(number) ? 0 : static_cast<float>(std::clamp((number - mean) * scale, -kLargest, kLargest));
}

}  // namespace edgewise
