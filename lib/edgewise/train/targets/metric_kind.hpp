#pragma once

#include <string_view>

/// @file
/// What a metric is, for code that compares its values. metrics.hpp computes those that several targets share.
namespace edgewise::train {

/// The range of a metric, and the direction in which it is better.
enum class MetricUnit {
  share,  ///< From 0 to 1, the best.
  error,  ///< From 0, the best, on.
  fit,    ///< R²: at most 1, the best.
  score,  ///< BLEU: from 0 to 100, the best.
};

/// What the variance of a metric under resampling of the items follows from: see `chance`.
enum class MetricVariance {
  items,      ///< Each item counts as right or wrong.
  positives,  ///< Each positive counts.
  pairs,      ///< Pairs of a positive and a negative.
  deviation,  ///< That of the standard deviation of errors.
  squares,    ///< That of the mean of squared errors.
};

/// When a metric is there to train and to choose by.
enum class MetricUse {
  always,
  several,   ///< For several targets at once.
  reported,  ///< Never: of a single class, of the bounds among the targets, of written texts.
};

struct MetricKind {
  std::string_view name;
  MetricUnit unit = MetricUnit::share;
  MetricVariance variance = MetricVariance::items;
  MetricUse use = MetricUse::always;
  /// Whether it is about the order of the items by probability, rather than about what each is taken for.
  bool is_of_order() const { return variance == MetricVariance::pairs || variance == MetricVariance::positives; }
};

}  // namespace edgewise::train
