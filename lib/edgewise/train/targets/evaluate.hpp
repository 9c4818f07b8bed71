#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/data/labels.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// The metrics of a task over `nodes`, see its Target. `predictions` is [nodes, names]: probabilities, or values in the
/// user's units; `deviations` are those of several targets on the training items.
/// - classification: accuracy, macro_f1, micro_f1, roc_auc, average_precision. With two classes the last two are those
///   of `positive_class`; with more they are means of one class against the rest, over the classes for which they are
///   defined.
/// - multilabel: accuracy (of single decisions), macro_f1, micro_f1 (a label is predicted from a probability of 0.5
///   up), roc_auc and average_precision (means over the labels for which they are defined).
/// - regression: mae, rmse, r2; for several targets whose deviations on the training items are given also
///   relative_rmse, the only mean in which no unit dominates; bounds_held if some targets are bounds, which count in no
///   other metric.
/// Throws UsageError as `check_labels`, and if the predictions have another shape.
Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                 std::span<const double> deviations = {});

/// Metrics of a single target of several, or of a single label.
struct TargetMetrics {
  std::string target;
  Metrics metrics;  ///< As those of all, but f1 in place of macro_f1 and micro_f1.
};

/// In the order of `labels.names`; empty for classification, where all classes are one target.
std::vector<TargetMetrics> evaluate_targets(const data::Labels& labels, ConstMatrixRef predictions,
                                            std::span<const graph::Node> nodes);

}  // namespace edgewise::train
