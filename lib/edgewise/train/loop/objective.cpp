#include "edgewise/train/loop/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/binary_cross_entropy.hpp"
#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/autograd/gaussian_error.hpp"
#include "edgewise/autograd/interval_error.hpp"
#include "edgewise/autograd/squared_error.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/metric_kinds.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {


std::vector<float> balanced_classes(const data::Labels& labels, std::span<const graph::Node> nodes) {
  std::vector<std::size_t> counts(labels.names.size());
  for (const graph::Node node : nodes) ++counts[static_cast<std::size_t>(labels.classes[node])];
  std::vector<float> weights;
  for (const std::size_t count : counts) {
    const double share = static_cast<double>(nodes.size()) / static_cast<double>(counts.size());
    weights.push_back(count == 0 ? 1.0F : static_cast<float>(share / static_cast<double>(count)));
  }
  return weights;
}

std::vector<float> balanced_labels(const data::Labels& labels, std::span<const graph::Node> nodes) {
  std::vector<float> weights;
  for (Eigen::Index label = 0; label < labels.targets.cols(); ++label) {
    std::size_t positives = 0;
    std::size_t negatives = 0;
    for (const graph::Node node : nodes) {
      positives += labels.targets(node, label) > 0.5F ? 1 : 0;
      negatives += labels.targets(node, label) <= 0.5F ? 1 : 0;
    }
    const bool is_known = positives > 0 && negatives > 0;
    weights.push_back(is_known ? static_cast<float>(negatives) / static_cast<float>(positives) : 1.0F);
  }
  return weights;
}

std::vector<float> make_weights(const ClassWeights& requested, const data::Labels& labels,
                                std::span<const graph::Node> nodes) {
  if (requested.kind == ClassWeights::Kind::none) return {};
  if (labels.has_numbers())
    throw UsageError("training.class_weights: a regression has no classes; leave them out");
  if (requested.kind == ClassWeights::Kind::balanced)
    return labels.has_flags() ? balanced_labels(labels, nodes) : balanced_classes(labels, nodes);
  if (requested.given.size() != labels.names.size())
    throw UsageError(fmt::format("training.class_weights: expected {} numbers, one for each of {}, got {}",
                                 labels.names.size(), fmt::join(labels.names, ", "), requested.given.size()));
  return {requested.given.begin(), requested.given.end()};
}

/// One weight per target, or none if all count alike.
std::vector<float> make_target_weights(const TrainOptions& options, const data::Labels& labels) {
  if (options.target_weights.empty()) return {};
  if (labels.has_classes())
    throw UsageError("training.target_weights: are for several targets or labels; for classes there are class_weights");
  std::vector<float> weights(labels.names.size(), 1.0F);
  for (const auto& [name, weight] : options.target_weights) {
    const auto found = std::ranges::find(labels.names, name);
    if (found == labels.names.end())
      throw UsageError(fmt::format("training.target_weights: there is no target \"{}\"; there are {}", name,
                                   fmt::join(labels.names, ", ")));
    weights[static_cast<std::size_t>(found - labels.names.begin())] = static_cast<float>(weight);
  }
  if (std::ranges::all_of(weights, [](float weight) { return weight == 0; }))
    throw UsageError("training.target_weights: expected a target that counts");
  return weights;
}

autograd::Penalty make_penalty(const TrainOptions& options, const data::Labels& labels) {
  if (options.loss == "squared") return autograd::Penalty::square;
  if (!labels.has_numbers())
    throw UsageError(fmt::format("training.loss: \"{}\" is for regression, not for classes", options.loss));
  if (options.loss == "gaussian" && labels.has_bounds())
    throw UsageError("training.loss: \"gaussian\" cannot learn from bounds such as >5");
  return options.loss == "huber" ? autograd::Penalty::huber : autograd::Penalty::square;
}

float checked_smoothing(const TrainOptions& options, const data::Labels& labels) {
  if (options.label_smoothing > 0 && !labels.has_classes())
    throw UsageError("training.label_smoothing: is for classes");
  return static_cast<float>(options.label_smoothing);
}

double accuracy_of(ConstMatrixRef outputs, const data::Labels& labels, std::span<const graph::Node> nodes) {
  std::size_t right = 0;
  std::size_t known = 0;
  for (const graph::Node node : nodes) {
    if (labels.classes[node] < 0) continue;
    Eigen::Index best = 0;
    outputs.row(node).maxCoeff(&best);
    ++known;
    right += best == labels.classes[node] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(known);
}

}  // namespace

std::string default_metric(const data::Labels& labels) {
  if (labels.has_numbers()) return labels.names.size() > 1 ? "relative_rmse" : "rmse";
  if (labels.are_ranked || has_rare_classes(labels)) return "roc_auc";
  return labels.has_flags() ? "macro_f1" : "accuracy";
}

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
      metric_(checked_metric(options.metric, labels)),
      is_larger_better_(is_larger_better(metric_)),
      target_weights_(make_target_weights(options, labels)),
      penalty_(make_penalty(options, labels)),
      has_variances_(options.loss == "gaussian"),
      smoothing_(checked_smoothing(options, labels)) {
  const std::vector<graph::Node> known = labelled(labels, train_nodes);
  if (known.empty()) throw DataError("training: no node of the training split has a label");
  weights_ = make_weights(options.class_weights, labels, known);
  if (!labels.has_numbers()) return;
  scaler_ = data::TargetScaler::fit(labels.targets, known);
  scale_targets();
}

void Objective::scale_targets() {
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

autograd::Variable Objective::loss(autograd::Variable outputs, const std::vector<std::int32_t>& classes,
                                   const Matrix& targets, const std::vector<float>& row_weights,
                                   std::span<const graph::Node> rows) const {
  const autograd::EntryWeights weights{.rows = row_weights, .columns = target_weights_};
  switch (labels_->task.shape) {
    case data::LabelShape::flags: return autograd::binary_cross_entropy(outputs, targets, rows, weights_, weights);
    case data::LabelShape::numbers:
      return has_variances_ ? autograd::gaussian_error(outputs, targets, rows, weights)
                            : autograd::squared_error(outputs, targets, rows, weights, penalty_);
    case data::LabelShape::classes: break;
  }
  return autograd::cross_entropy(outputs, classes, rows, weights_, row_weights, smoothing_);
}

autograd::Variable Objective::loss(autograd::Variable outputs, std::span<const graph::Node> nodes) const {
  if (labels_->has_bounds())
    return autograd::interval_error(outputs, lower_, upper_, nodes, {labels_->weights, target_weights_}, penalty_);
  return loss(outputs, labels_->classes, targets(), labels_->weights, nodes);
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
  if (labels_->has_bounds()) {
    labels.lower = lower_(items, Eigen::all);
    labels.upper = upper_(items, Eigen::all);
    return autograd::interval_error(outputs, labels.lower, labels.upper, labels.rows,
                                    {labels.weights, target_weights_}, penalty_);
  }
  if (labels_->has_classes()) {
    labels.classes.clear();
    for (const graph::Node item : items) labels.classes.push_back(labels_->classes[item]);
  } else {
    labels.targets = targets()(items, Eigen::all);
  }
  return loss(outputs, labels.classes, labels.targets, labels.weights, labels.rows);
}

double Objective::score(ConstMatrixRef outputs, std::span<const graph::Node> nodes) const {
  // The usual case needs no probabilities.
  if (labels_->has_classes() && metric_ == "accuracy") return accuracy_of(outputs, *labels_, nodes);
  const Matrix predictions = to_predictions(labels_->task, outputs, scaler_);
  const double value = train::metric(evaluate(*labels_, predictions, nodes, scaler_.deviation()), metric_);
  return is_larger_better_ ? value : -value;
}

}  // namespace edgewise::train
