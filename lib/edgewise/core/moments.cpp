#include "edgewise/core/moments.hpp"

#include <cmath>

namespace edgewise {

Moments moments_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  Moments moments;
  for (const double value : values) moments.mean += value;
  moments.mean /= count;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.deviation = std::sqrt(squares / count);
  return moments;
}

double kurtosis(std::span<const double> values, const Moments& moments) {
  if (!(moments.deviation > 0)) return 0;
  double sum = 0;
  for (const double value : values) sum += std::pow((value - moments.mean) / moments.deviation, 4);
  return sum / static_cast<double>(values.size());
}

}  // namespace edgewise
