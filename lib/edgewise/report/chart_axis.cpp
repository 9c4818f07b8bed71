#include "edgewise/report/chart_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace edgewise::report {
namespace {

/// Powers of ten in the range; for a short range also 2 and 5 times each.
std::vector<double> decades(double low, double high) {
  std::vector<double> ticks;
  const bool is_short = high / low < 200;
  for (double power = std::floor(std::log10(low)); power <= std::log10(high); ++power)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit == 1 || is_short) ticks.push_back(digit * std::pow(10, power));
  return ticks;
}

/// Powers of 4, or of 16 for a long range.
std::vector<double> powers_of_four(double low, double high) {
  const double step = high / low < 5000 ? 4 : 16;
  std::vector<double> ticks;
  for (double tick = 1; tick <= high; tick *= step) ticks.push_back(tick);
  return ticks;
}

/// Evenly spaced round numbers, at least four steps.
std::vector<double> even_ticks(double low, double high) {
  const double span = high - low;
  double step = std::pow(10, std::floor(std::log10(span / 4)));
  if (span / step >= 8) step *= span / step >= 20 ? 5 : 2;
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step - 1e-9); tick * step <= high + 1e-9 * span; ++tick)
    ticks.push_back(tick == 0 ? 0 : tick * step);
  return ticks;
}

}  // namespace

std::string plain_number(double value) {
  const double size = std::abs(value);
  return size >= 1000 && size < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

double PlacedAxis::level(double value) const { return scale == Scale::linear ? value : std::log(value); }

double PlacedAxis::at_level(double level) const { return scale == Scale::linear ? level : std::exp(level); }

double PlacedAxis::place(double value) const {
  return from + (level(value) - level(low)) / (level(high) - level(low)) * (to - from);
}

std::vector<double> PlacedAxis::ticks(const std::vector<double>& asked) const {
  std::vector<double> ticks = !asked.empty()              ? asked
                              : scale == Scale::linear    ? even_ticks(low, high)
                              : scale == Scale::binary    ? powers_of_four(low, high)
                                                          : decades(low, high);
  const double tolerance = 1e-6 * (level(high) - level(low));
  std::erase_if(ticks, [&](double tick) {
    return level(tick) < level(low) - tolerance || level(tick) > level(high) + tolerance;
  });
  return ticks;
}

PlacedAxis place_axis(const ChartAxis& axis, const Range& values, double from, double to, double headroom) {
  Range ends = values;
  for (const std::optional<double>& end : {axis.low, axis.high})
    if (end) ends.include(*end);
  if (axis.scale != Scale::linear) {
    const double margin = std::exp(0.06 * std::log(ends.high / ends.low)) * 1.05;
    const double room = std::pow(ends.high / ends.low * margin * margin, headroom);
    return {axis.scale, axis.low.value_or(ends.low / margin), axis.high.value_or(ends.high * margin * room), from, to};
  }
  const double span = ends.high - ends.low;
  const double margin = span > 0 ? 0.06 * span : std::max(1e-3, 0.05 * std::abs(ends.high));
  return {axis.scale, axis.low.value_or(ends.low - margin),
          axis.high.value_or(ends.high + margin + headroom * (span + 2 * margin)), from, to};
}

}  // namespace edgewise::report
