#include "edgewise/train/loop/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {

std::string default_metric(const data::Labels& labels) { return target_of(labels).default_metric(labels); }

std::string checked_metric(const std::string& requested, const data::Labels& labels) {
  if (requested.empty()) return default_metric(labels);
  const std::vector<std::string> known = metric_names(labels);
  if (std::find(known.begin(), known.end(), requested) != known.end()) return requested;
  throw UsageError(fmt::format("training.metric: expected one of {}, got \"{}\"", fmt::join(known, ", "), requested));
}

std::vector<graph::Node> labelled(const data::Labels& labels, std::span<const graph::Node> nodes) {
  std::vector<graph::Node> result;
  std::ranges::copy_if(nodes, std::back_inserter(result), [&](graph::Node node) { return labels.is_known(node); });
  return result;
}

Objective::Objective(const data::Labels& labels, std::span<const graph::Node> train_nodes, const TrainOptions& options)
    : labels_(&labels),
      target_(&target_of(labels)),
      metric_(checked_metric(options.metric, labels)),
      higher_is_better_(higher_is_better(metric_)) {
  const std::vector<graph::Node> known = labelled(labels, train_nodes);
  if (known.empty()) throw DataError("training: no node of the training split has a label");
  loss_ = target_->make_loss(labels, known, loss_options(options));
  scaler_ = target_->fit_scaler(labels, known);
  scale_targets();
}

void Objective::scale_targets() {
  if (scaler_.columns() == 0) return;
  scaled_targets_ = scaler_.transform(labels_->targets);
  if (!labels_->has_bounds()) return;
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const Matrix low = scaler_.transform(labels_->lower_bounds), high = scaler_.transform(labels_->upper_bounds);
  lower_ = upper_ = scaled_targets_;
  for (Eigen::Index i = 0; i < lower_.size(); ++i) {
    const bool has_low = !std::isnan(low.data()[i]), has_high = !std::isnan(high.data()[i]);
    if (!has_low && !has_high) continue;
    lower_.data()[i] = has_low ? low.data()[i] : -kInfinite;
    upper_.data()[i] = has_high ? high.data()[i] : kInfinite;
  }
}

autograd::Variable Objective::loss(autograd::Variable outputs, std::span<const graph::Node> nodes) const {
  return loss_(outputs, {.rows = nodes,
                         .classes = labels_->classes,
                         .targets = targets(),
                         .lower = lower_,
                         .upper = upper_,
                         .weights = labels_->weights});
}

autograd::Variable Objective::loss(autograd::Variable outputs, std::span<const graph::Node> items, BatchLabels& labels,
                                   std::span<const float> factors) const {
  labels.rows.resize(items.size());
  std::iota(labels.rows.begin(), labels.rows.end(), graph::Node{0});
  labels.weights.clear();
  for (const graph::Node item : items)
    if (!labels_->weights.empty()) labels.weights.push_back(labels_->weights[item]);
  if (factors.empty()) return weighted_loss(outputs, items, labels);
  labels.weights.resize(items.size(), 1.0F);
  for (std::size_t i = 0; i < items.size(); ++i) labels.weights[i] *= factors[i];
  const double sum = std::accumulate(factors.begin(), factors.end(), 0.0);
  return autograd::scale(weighted_loss(outputs, items, labels),
                         static_cast<float>(sum / static_cast<double>(items.size())));
}

/// The mean by `labels.weights`, if there are any.
autograd::Variable Objective::weighted_loss(autograd::Variable outputs, std::span<const graph::Node> items,
                                            BatchLabels& labels) const {
  if (labels_->has_classes()) {
    labels.classes.clear();
    for (const graph::Node item : items) labels.classes.push_back(labels_->classes[item]);
  } else {
    labels.targets = targets()(items, Eigen::all);
  }
  if (labels_->has_bounds()) {
    labels.lower = lower_(items, Eigen::all);
    labels.upper = upper_(items, Eigen::all);
  }
  return loss_(outputs, {.rows = labels.rows,
                         .classes = labels.classes,
                         .targets = labels.targets,
                         .lower = labels.lower,
                         .upper = labels.upper,
                         .weights = labels.weights});
}

double Objective::score(ConstMatrixRef outputs, std::span<const graph::Node> nodes) const {
  const double value = target_->measure(metric_, *labels_, outputs, scaler_, nodes);
  return higher_is_better_ ? value : -value;
}

}  // namespace edgewise::train
