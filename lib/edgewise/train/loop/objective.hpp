#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {

/// Labels of a batch of items, for outputs with one row per item. Filled by `Objective::loss`; must live as long as the
/// tape's record.
struct BatchLabels {
  std::vector<std::int32_t> classes;
  Matrix targets;
  std::vector<float> weights;  ///< If the items have any.
  Matrix lower, upper;  ///< If some targets are bounds: what encloses each of them, see autograd::interval_error.
  std::vector<graph::Node> rows;
};

/// The training objective: the loss of a task over some items (nodes, or graphs), and the metric used for early
/// stopping. `labels` must outlive this. Anything derived from labels (class weights, target scaling) uses training
/// nodes only.
class Objective {
 public:
  /// Throws UsageError if the options do not suit the task, DataError if no
  /// training node has a label.
  Objective(const data::Labels& labels, std::span<const graph::Node> train_nodes, const TrainOptions& options);

  /// Mean, weighted by Labels::weights and the targets' weights, over the labelled nodes among `nodes`, which index
  /// rows of `outputs`; [1, 1]. `nodes` must outlive the tape's record.
  autograd::Variable loss(autograd::Variable outputs, std::span<const graph::Node> nodes) const;

  /// The same, with row i of `outputs` belonging to items[i], and a further factor of the loss of each item, unless
  /// `factors` is empty: with them the mean is over the items, whatever their sum.
  autograd::Variable loss(autograd::Variable outputs, std::span<const graph::Node> items, BatchLabels& labels,
                          std::span<const float> factors = {}) const;

  /// Larger is better: errors are negated. NaN if undefined.
  double score(ConstMatrixRef outputs, std::span<const graph::Node> nodes) const;
  /// The metric value behind a score.
  double metric_of(double score) const { return higher_is_better_ ? score : -score; }
  const std::string& metric() const { return metric_; }
  const data::TargetScaler& scaler() const { return scaler_; }

 private:
  const data::Labels* labels_;
  const Target* target_;
  std::string metric_;
  bool higher_is_better_;
  Loss loss_;
  autograd::Variable weighted_loss(autograd::Variable outputs, std::span<const graph::Node> items,
                                   BatchLabels& labels) const;
  void scale_targets();
  const Matrix& targets() const { return scaler_.columns() > 0 ? scaled_targets_ : labels_->targets; }

  data::TargetScaler scaler_;
  Matrix scaled_targets_;  // if there is a scaler
  Matrix lower_, upper_;   // with bounds: the scaled ends of what encloses each target
};

/// The nodes among `nodes` that have a label (multi-label and regression: at least one known target or bound).
std::vector<graph::Node> labelled(const data::Labels& labels, std::span<const graph::Node> nodes);

/// Target::default_metric.
std::string default_metric(const data::Labels& labels);
/// The requested metric, or the default for "". Throws UsageError for one that the labels do not have.
std::string checked_metric(const std::string& requested, const data::Labels& labels);
}  // namespace edgewise::train
