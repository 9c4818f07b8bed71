#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

/// @file
/// Curves that show the quality of predictions, where a metric is a single number. Definitions follow scikit-learn
/// (roc_curve, precision_recall_curve, calibration_curve). `predictions` are as for `evaluate`: [items, names].
namespace edgewise::train {

/// What calling all items positive whose score is at least some threshold comes to.
struct RankingPoint {
  double false_positive_rate = 0;  ///< Share of the negatives that are called positive.
  double recall = 0;               ///< Share of the positives that are called positive.
  double precision = 0;            ///< Share of those called positive that are positive.
};

/// The ROC curve (recall over false_positive_rate) and the precision-recall curve of one class against the rest, or of
/// one label.
struct RankingCurve {
  std::vector<RankingPoint> points;  ///< One for each distinct score, from the highest. The curves begin before, at 0.
  std::int64_t positives = 0;
  std::int64_t negatives = 0;
  double roc_auc = 0;            ///< As `roc_auc` of metrics.hpp.
  double average_precision = 0;  ///< As `average_precision` of metrics.hpp.
};

/// The curve of a column over those of `items` that have a label. No points without a positive or without a negative,
/// and if a score is NaN. Throws UsageError as `check_labels` does, and if the predictions have another shape.
RankingCurve ranking_curve(const data::Labels& labels, ConstMatrixRef predictions, std::size_t column,
                           std::span<const graph::Node> items);

/// Classes or labels, and how many of `items` are of each.
std::vector<std::int64_t> positive_counts(const data::Labels& labels, std::span<const graph::Node> items);

/// The decisions made with a confidence in some range.
struct ReliabilityBin {
  std::int64_t decisions = 0;
  double confidence = std::numeric_limits<double>::quiet_NaN();  ///< Their mean; NaN if there are none.
  double accuracy = std::numeric_limits<double>::quiet_NaN();    ///< Share of them that are right.
};

struct Reliability {
  std::vector<ReliabilityBin> bins;  ///< Ten: (0, 0.1], (0.1, 0.2], ...; the first also has 0.
  double expected_error = std::numeric_limits<double>::quiet_NaN();
};

/// How far confidence can be trusted. The confidence in a class is the largest probability; in a multi-label task, each
/// label of each item is a decision of its own, with the confidence max(p, 1 - p). The expected calibration error is
/// the mean over the bins of |accuracy - confidence|, weighted by their decisions (Guo et al. 2017, eq. 3). It is NaN,
/// as is everything in the bins, if nothing is known or a probability is NaN. Throws UsageError for regression and as
/// `ranking_curve` does.
Reliability reliability(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items);

/// How many of `values` lie in each of `bins` intervals of equal width from `low` to `high`, the last with its end.
/// Values outside, and NaN, are left out.
std::vector<std::int64_t> histogram(std::span<const float> values, double low, double high, std::size_t bins);

}  // namespace edgewise::train
