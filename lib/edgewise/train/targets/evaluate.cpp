#include "edgewise/train/targets/evaluate.hpp"

#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {

Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                 std::span<const double> deviations) {
  check_predictions("evaluate", labels, predictions);
  check_items("evaluate", nodes, labels.item_count());
  return target_of(labels).evaluate(labels, predictions, nodes, deviations);
}

std::vector<TargetMetrics> evaluate_targets(const data::Labels& labels, ConstMatrixRef predictions,
                                            std::span<const graph::Node> nodes) {
  std::vector<TargetMetrics> targets;
  if (labels.has_classes()) return targets;
  check_predictions("evaluate", labels, predictions);
  for (Eigen::Index column = 0; column < labels.targets.cols(); ++column) {
    data::Labels one;
    one.task = labels.task;
    one.names = {labels.names[static_cast<std::size_t>(column)]};
    one.targets = labels.targets.col(column);
    if (labels.has_bounds()) {
      one.lower_bounds = labels.lower_bounds.col(column);
      one.upper_bounds = labels.upper_bounds.col(column);
    }
    const Matrix values = predictions.col(column);
    TargetMetrics target{.target = one.names.front(), .metrics = {}};
    for (const auto& [name, value] : evaluate(one, values, nodes)) {
      if (name == "micro_f1") continue;  // a single label has only one F1
      target.metrics.emplace_back(name == "macro_f1" ? "f1" : name, value);
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace edgewise::train
