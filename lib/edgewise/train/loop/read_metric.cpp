#include "edgewise/train/loop/read_metric.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/metric_kinds.hpp"

namespace edgewise::train {

bool can_be(const std::string& metric, double value) {
  constexpr double kRounding = 1e-9;
  const bool is_possible = (metric == "r2" || value >= 0) && (!is_larger_better(metric) || value <= 1 + kRounding);
  return std::isnan(value) || is_possible;
}

double read_metric(const json::Value& value, const std::string& metric) {
  const double number = value.as_number_or_nan();
  if (can_be(metric, number)) return number;
  const char* expected = metric == "r2" ? "at most 1" : is_share(metric) ? "a share in [0, 1]" : "an error from 0 on";
  throw UsageError(fmt::format("{}: expected {}, got {}", value.path(), expected, number));
}

}  // namespace edgewise::train
