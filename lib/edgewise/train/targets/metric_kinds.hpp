#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/train/targets/metric_kind.hpp"

namespace edgewise::data {
struct Labels;
}

/// @file
/// The metrics of all targets, by name.
namespace edgewise::train {

/// The metrics of labels like these to train and to choose by, in the order of the manual.
std::vector<std::string> metric_names(const data::Labels& labels);

/// Throws UsageError for an unknown metric.
const MetricKind& metric_kind(std::string_view metric);

/// False for errors such as rmse.
bool higher_is_better(std::string_view metric);
/// Whether `value` is better than `than`; NaN is worse than any other.
bool is_better(std::string_view metric, double value, double than);
/// Whether a metric is a share, from 0 to 1: not an error, and not R².
bool is_share(std::string_view metric);

}  // namespace edgewise::train
