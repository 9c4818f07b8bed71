#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/train/loop/metrics.hpp"
#include "edgewise/train/loop/train_options.hpp"

namespace edgewise::train {

/// Labels of a few items, for outputs with a row for each of them. Filled by `Objective::loss`; lives as long as the
/// tape's record.
struct BatchLabels {
  std::vector<std::int32_t> classes;
  Matrix targets;
  std::vector<graph::Node> rows;
};

/// What is trained for: the loss of a task over some items (nodes, or graphs), and the metric that stopping looks at.
/// `labels` must outlive this. What it learns from labels (class weights, target scaling) comes from training nodes.
class Objective {
 public:
  /// "balanced" weights are n / (classes * count) a class (a class that no training node has weighs 1), in a
  /// multi-label task negatives / positives a label. Throws UsageError when the options do not fit the task, DataError
  /// when no training node has a label.
  Objective(const data::Labels& labels, std::span<const graph::Node> train_nodes, const TrainOptions& options);

  /// Mean over the labelled ones of `nodes`, rows of `outputs`; [1, 1]. `nodes` must outlive the tape's record.
  autograd::Variable loss(autograd::Variable outputs, std::span<const graph::Node> nodes) const;

  /// As above where row i of `outputs` is that of items[i].
  autograd::Variable loss(autograd::Variable outputs, std::span<const graph::Node> items, BatchLabels& labels) const;

  /// Larger is better: errors come negated. NaN where it is not defined.
  double score(ConstMatrixRef outputs, std::span<const graph::Node> nodes) const;
  /// The value that a score was made from.
  double metric_of(double score) const { return is_larger_better_ ? score : -score; }
  const std::string& metric() const { return metric_; }
  const data::TargetScaler& scaler() const { return scaler_; }

 private:
  const data::Labels* labels_;
  std::string metric_;
  bool is_larger_better_;
  std::vector<float> weights_;
  autograd::Variable loss(autograd::Variable outputs, const std::vector<std::int32_t>& classes, const Matrix& targets,
                          std::span<const graph::Node> rows) const;
  const Matrix& targets() const { return labels_->task == data::Task::regression ? scaled_targets_ : labels_->targets; }

  data::TargetScaler scaler_;
  Matrix scaled_targets_;  // regression
};

/// Those of `nodes` that have a label (multi-label and regression: at least one known target).
std::vector<graph::Node> labelled(const data::Labels& labels, std::span<const graph::Node> nodes);

/// What stopping looks at when nothing is asked for: accuracy, macro_f1 (multi-label), rmse (regression); where a class
/// is rare roc_auc (`has_rare_classes`), of several targets relative_rmse.
std::string default_metric(const data::Labels& labels);
/// False for errors such as rmse.
bool is_larger_better(const std::string& metric);
/// Whether `value` is better than `than`; NaN is worse than any other.
bool is_better(const std::string& metric, double value, double than);
/// Whether a metric is a share, from 0 to 1: no error, and no R².
bool is_share(const std::string& metric);

}  // namespace edgewise::train
