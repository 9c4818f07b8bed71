#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

/// @file
/// How good predictions are. Everything is counted over a list of nodes, and over those of them that have a label.
/// Definitions and conventions are scikit-learn's unless a comment says otherwise. A value that is not defined (no
/// labelled node, one class only) is NaN, never an invented 0 or 1.
namespace edgewise::train {

/// counts(truth, prediction), [classes, classes].
using ConfusionMatrix = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The column with the largest score of each row, the first one among equals: [nodes].
std::vector<std::int32_t> predicted_classes(ConstMatrixRef scores);

/// `truth` and `predictions` are [nodes]; -1 in `truth` means unknown and is passed over.
ConfusionMatrix confusion_matrix(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions,
                                 std::size_t classes, std::span<const graph::Node> nodes);

/// One class in a confusion matrix. A ratio whose denominator is 0 counts as 0.
struct ClassReport {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  std::int64_t support = 0;  ///< Nodes that truly are of this class.
};
std::vector<ClassReport> class_reports(const ConfusionMatrix& confusion);

/// Share of the diagonal.
double accuracy(const ConfusionMatrix& confusion);
/// Mean F1 over the classes that occur in the truth or in the predictions; others are left out.
double macro_f1(const ConfusionMatrix& confusion);
/// F1 of all decisions together; for one class a node it equals the accuracy.
double micro_f1(const ConfusionMatrix& confusion);

/// Probability that a positive scores above a negative, equals counting half (Mann and Whitney 1947). `scores` and
/// `positives` (0 or 1) have the same length. NaN without a positive, without a
/// negative, and when a score is NaN. O(n log n).
double roc_auc(std::span<const float> scores, std::span<const std::uint8_t> positives);
/// Sum over distinct thresholds of (recall step) * precision, without interpolation; equal scores enter together. NaN
/// without a positive and when a score is NaN.
double average_precision(std::span<const float> scores, std::span<const std::uint8_t> positives);

/// [count, columns], NaN where unknown: passed over for each column by itself. Means over the columns that have a
/// value; R² is 1 - residual / total sum of squares, NaN for a column whose truth is constant.
double mean_absolute_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);
double root_mean_squared_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);
/// The error of each column over its entry of `deviations`, so that columns of different units count alike.
double relative_rmse(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                     std::span<const double> deviations);
double r_squared(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);

/// Metric names and values, in a fixed order.
using Metrics = std::vector<std::pair<std::string, double>>;
json::Value to_json(const Metrics& metrics);
Metrics metrics_from_json(const json::Value& value);
/// The value; throws UsageError that lists the names when there is none of this name.
double metric(const Metrics& metrics, std::string_view name);

/// The metrics of a task over `nodes`. `predictions` is [nodes, names]: probabilities, or values in the user's units.
/// - classification: accuracy, macro_f1, micro_f1, roc_auc, average_precision. With two classes the last two take the
///   second class of `labels.names` as the positive one; with more they are means of one class against the rest, over
///   the classes for which they are defined.
/// - multilabel: accuracy (of single decisions), macro_f1, micro_f1 (both at probability 0.5), roc_auc and
///   average_precision (means over the labels for which they are defined).
/// - regression: mae, rmse, r2; of several targets whose deviations on the training items are given also
///   relative_rmse, the only mean that no unit weighs more in.
/// Throws UsageError when the shapes of labels and predictions differ.
Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                 std::span<const double> deviations = {});

/// One target of a regression, or one label of a multi-label task, by itself.
struct TargetMetrics {
  std::string target;
  Metrics metrics;  ///< mae, rmse, r2; or accuracy, f1, roc_auc, average_precision.
};

/// In the order of `labels.names`; empty in a classification, whose classes are one target.
std::vector<TargetMetrics> evaluate_targets(const data::Labels& labels, ConstMatrixRef predictions,
                                            std::span<const graph::Node> nodes);

/// The rarer of "yes" and "no" is below this share: then accuracy and F1 say little. See `has_rare_classes`.
inline constexpr double kRareShare = 0.1;

/// Of a classification in two classes, whether fewer than `kRareShare` of the known items are of one of them; in a
/// multi-label task whether that is so of at least half of the labels.
bool has_rare_classes(const data::Labels& labels);

/// Classes, or labels, that some of `nodes` have and that none of them is predicted to have.
std::vector<std::string> never_predicted(const data::Labels& labels, ConstMatrixRef predictions,
                                         std::span<const graph::Node> nodes);

}  // namespace edgewise::train
