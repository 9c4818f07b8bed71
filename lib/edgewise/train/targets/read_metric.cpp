#include "edgewise/train/targets/read_metric.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"

namespace edgewise::train {
namespace {

const char* range_of(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::share: return "a share in [0, 1]";
    case MetricUnit::error: return "an error from 0 on";
    case MetricUnit::score: return "a score from 0 to 100";
    case MetricUnit::fit: break;
  }
  return "at most 1";
}

}  // namespace

bool can_be(const std::string& metric, double value) {
  constexpr double kRounding = 1e-9;
  const MetricUnit unit = metric_kind(metric).unit;
  const double most = unit == MetricUnit::score ? 100 : 1;
  const bool is_possible =
      (unit == MetricUnit::fit || value >= 0) && (unit == MetricUnit::error || value <= most * (1 + kRounding));
  return std::isnan(value) || is_possible;
}

double read_metric(const json::Value& value, const std::string& metric) {
  const double number = value.as_number_or_nan();
  if (can_be(metric, number)) return number;
  throw UsageError(
      fmt::format("{}: expected {}, got {}", value.path(), range_of(metric_kind(metric).unit), number));
}

Metrics metrics_from_json(const json::Value& value) {
  Metrics metrics;
  for (const auto& [name, number] : value.as_object()) metrics.emplace_back(name, read_metric(number, name));
  return metrics;
}

}  // namespace edgewise::train
