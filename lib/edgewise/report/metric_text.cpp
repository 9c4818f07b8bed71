#include "edgewise/report/metric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace edgewise::report {

int decimals_of(double value) {
  const double size = std::abs(value);
  return size < 1e3 ? 4 : size < 1e6 ? 1 : 0;
}

std::string format_metric(double value) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals_of(value)) : "-";
}

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number() || !std::isfinite(mean.as_number())) return "-";
  if (summary.at("values").as_array().size() < 2) return format_metric(mean.as_number());
  const int decimals = decimals_of(mean.as_number());
  return fmt::format("{:.{}f} ± {:.{}f}", mean.as_number(), decimals, summary.at("std").as_number(), decimals);
}

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 24;
  for (const std::string& name : names) width = std::max(width, name.size() + 2);
  return width;
}

}  // namespace edgewise::report
