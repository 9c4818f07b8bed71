#pragma once

#include <string>
#include <string_view>

/// @file
/// What a metric is, for code that compares its values. metrics.hpp computes them.
namespace edgewise::train {

/// The range of a metric, and the direction in which it is better.
enum class MetricUnit {
  share,  ///< From 0 to 1, the best.
  error,  ///< From 0, the best, on, in the units of the targets.
  fit,    ///< R²: at most 1, the best.
};

/// What the variance of a metric under resampling of the items follows from: see `chance`.
enum class MetricVariance {
  items,      ///< Each item counts as right or wrong.
  positives,  ///< Each positive counts.
  pairs,      ///< Pairs of a positive and a negative.
  deviation,  ///< That of the standard deviation of errors.
};

struct MetricKind {
  std::string_view name;
  MetricUnit unit = MetricUnit::share;
  MetricVariance variance = MetricVariance::items;
};

/// Throws UsageError for an unknown metric.
const MetricKind& metric_kind(std::string_view metric);

/// False for errors such as rmse.
bool is_larger_better(std::string_view metric);
/// Whether `value` is better than `than`; NaN is worse than any other.
bool is_better(std::string_view metric, double value, double than);
/// Whether a metric is a share, from 0 to 1: not an error, and not R².
bool is_share(std::string_view metric);

}  // namespace edgewise::train
