#include "edgewise/report/metric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace edgewise::report {

std::string format_beside(double value, double like) {
  const double size = std::abs(like);
  if (size >= 1e9 || (size > 0 && size < 5e-5)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, size < 1e3 ? 4 : size < 1e6 ? 1 : 0);
}

std::string format_metric(double value) { return std::isfinite(value) ? format_beside(value, value) : "-"; }

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number() || !std::isfinite(mean.as_number())) return "-";
  const double value = mean.as_number();
  if (summary.at("values").as_array().size() < 2) return format_metric(value);
  return fmt::format("{} ± {}", format_beside(value, value), format_beside(summary.at("std").as_number(), value));
}

std::string format_difference(double value) {
  return std::isnan(value) ? "-" : (std::signbit(value) ? "" : "+") + format_metric(value);
}

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 24;
  for (const std::string& name : names) width = std::max(width, name.size() + 2);
  return width;
}

}  // namespace edgewise::report
