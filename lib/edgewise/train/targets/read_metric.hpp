#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// Whether a metric can have this value: a share is in [0, 1], an error at least 0, R² at most 1. NaN: undefined.
bool can_be(const std::string& metric, double value);

/// The value of a metric in a file: NaN (undefined) for null. Throws UsageError, with the path of `value`, for what
/// it cannot be.
double read_metric(const json::Value& value, const std::string& metric);
/// What `to_json` made of metrics.
Metrics metrics_from_json(const json::Value& value);

}  // namespace edgewise::train
