#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

/// @file
/// Quality of predictions. Metrics are computed over a list of nodes, using only those that have a label. Definitions
/// and conventions follow scikit-learn unless a comment says otherwise. An undefined value (no labelled node, one class
/// only) is NaN, never an invented 0 or 1. Lengths that do not fit and nodes beyond the last row throw UsageError.
namespace edgewise::train {

/// Throws a UsageError that begins with `operation` unless `labels` have `rows` rows, known classes (or -1), a known
/// positive class if there is one, and a column of targets for each name.
void check_labels(std::string_view operation, const data::Labels& labels, std::size_t rows);

/// Throws a UsageError as `check_labels`, and if `predictions` are not [items, names]; with candidates (data::Task)
/// they are [items, 1 + candidates of both ends].
void check_predictions(std::string_view operation, const data::Labels& labels, ConstMatrixRef predictions);

/// Throws UsageError for an item beyond the last of the rows.
void check_items(std::string_view operation, std::span<const graph::Node> items, std::size_t rows);

/// A metric without a value.
inline constexpr double kUndefinedMetric = std::numeric_limits<double>::quiet_NaN();
/// The mean of those that have one.
double mean_of_defined(std::span<const double> values);

/// Counts by (truth, prediction), [classes, classes].
using ConfusionMatrix = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The column with the largest score in each row, the first in case of a tie: [nodes].
std::vector<std::int32_t> predicted_classes(ConstMatrixRef scores);

/// `truth` and `predictions` are [nodes]; -1 in `truth` means unknown and is skipped. Throws UsageError for any other
/// number that is not one of the `classes`.
ConfusionMatrix confusion_matrix(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions,
                                 std::size_t classes, std::span<const graph::Node> nodes);

/// What the decisions on one class come to.
struct ClassCounts {
  std::int64_t hits = 0;       ///< Nodes of this class that are predicted so.
  std::int64_t predicted = 0;  ///< Nodes predicted as this class.
  std::int64_t support = 0;    ///< Nodes whose true class is this one.
};

/// Counts one decision.
void count_decision(std::size_t truth, std::size_t predicted, std::span<ClassCounts> counts);

/// One for each class, from the input of `confusion_matrix`, without its square of the classes. Throws as it does.
std::vector<ClassCounts> class_counts(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions,
                                      std::size_t classes, std::span<const graph::Node> nodes);

/// Metrics of one class. A ratio with denominator 0 counts as 0.
struct ClassReport {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  std::int64_t support = 0;  ///< Nodes whose true class is this one.
};
std::vector<ClassReport> class_reports(std::span<const ClassCounts> counts);

/// Share of the nodes predicted as what they are. With one class per node it equals the F1 over all decisions,
/// micro_f1.
double accuracy(std::span<const ClassCounts> counts);
/// Mean F1 over the classes that occur in the truth or in the predictions; other classes are ignored.
double macro_f1(std::span<const ClassCounts> counts);

/// Probability that a positive scores above a negative, with ties counting half (Mann and Whitney 1947). `scores` and
/// `positives` (0 or 1) have the same length. NaN without a positive or without a negative, and if a score is NaN. O(n
/// log n).
double roc_auc(std::span<const float> scores, std::span<const std::uint8_t> positives);
/// Sum over distinct thresholds of (recall step) * precision, without interpolation; equal scores share a threshold.
/// NaN without a positive and if a score is NaN.
double average_precision(std::span<const float> scores, std::span<const std::uint8_t> positives);

/// [count, columns], NaN where unknown, skipped per column. Means over the columns that have a value; R² is 1 -
/// residual / total sum of squares, NaN for a column with constant truth.
double mean_absolute_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);
double root_mean_squared_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);
/// Each column's error divided by its entry of `deviations`, so that columns with different units count equally.
double relative_rmse(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                     std::span<const double> deviations);
double r_squared(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes);

/// The share of the bounds of targets (see data::Labels) that the predictions respect. NaN without a bound.
double bounds_held(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> nodes);

/// Metric names and values, in a fixed order. read_metric.hpp reads them.
using Metrics = std::vector<std::pair<std::string, double>>;
json::Value to_json(const Metrics& metrics);
/// The value of a metric; if there is none of this name, throws UsageError listing the names.
double metric(const Metrics& metrics, std::string_view name);

/// Whether there are two classes, so that one of them is ranked against the other.
bool has_positive_class(const data::Labels& labels);

/// Of two classes, the one whose ranking is measured: Labels::positive, or else the rarer one among the known labels
/// (the second if they are equally common).
std::int32_t positive_class(const data::Labels& labels);

/// Below this share of the rarer of "yes" and "no", accuracy and F1 say little. See `has_rare_classes`.
inline constexpr double kRareShare = 0.1;

/// For two classes: whether fewer than `kRareShare` of the known items are of one of them. Multi-label: whether this
/// holds for at least half of the labels.
bool has_rare_classes(const data::Labels& labels);

/// Classes or labels that occur among `nodes` but are predicted for none of them.
std::vector<std::string> never_predicted(const data::Labels& labels, ConstMatrixRef predictions,
                                         std::span<const graph::Node> nodes);

}  // namespace edgewise::train
