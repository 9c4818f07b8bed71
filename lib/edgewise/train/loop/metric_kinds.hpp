#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise::data {
struct Labels;
}

/// @file
/// What a metric is, for code that compares its values. metrics.hpp computes them.
namespace edgewise::train {

/// The range of a metric, and the direction in which it is better.
enum class MetricUnit {
  share,  ///< From 0 to 1, the best.
  error,  ///< From 0, the best, on, in the units of the targets.
  fit,    ///< R²: at most 1, the best.
  score,  ///< BLEU: from 0 to 100, the best.
};

/// What the variance of a metric under resampling of the items follows from: see `chance`.
enum class MetricVariance {
  items,      ///< Each item counts as right or wrong.
  positives,  ///< Each positive counts.
  pairs,      ///< Pairs of a positive and a negative.
  deviation,  ///< That of the standard deviation of errors.
};

/// The labels that a metric is for.
enum class MetricLabels {
  classes,  ///< One of several, or several that may hold at once.
  target,
  targets,   ///< Several at once.
  reported,  ///< Nothing to train or choose by: of a single class, of the bounds among the targets, of written texts.
};

struct MetricKind {
  std::string_view name;
  MetricUnit unit = MetricUnit::share;
  MetricVariance variance = MetricVariance::items;
  MetricLabels labels = MetricLabels::classes;
  /// Whether it is about the order of the items by probability, rather than about what each is taken for.
  bool is_of_order() const { return variance == MetricVariance::pairs || variance == MetricVariance::positives; }
};

/// The metrics of labels like these, in the order of the manual.
std::vector<std::string> metric_names(const data::Labels& labels);

/// Throws UsageError for an unknown metric.
const MetricKind& metric_kind(std::string_view metric);

/// False for errors such as rmse.
bool is_larger_better(std::string_view metric);
/// Whether `value` is better than `than`; NaN is worse than any other.
bool is_better(std::string_view metric, double value, double than);
/// Whether a metric is a share, from 0 to 1: not an error, and not R².
bool is_share(std::string_view metric);

}  // namespace edgewise::train
