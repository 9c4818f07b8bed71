#include "edgewise/train/targets/ranking.hpp"

#include <cmath>

namespace edgewise::train {
namespace {

/// 1 for a positive, 0 for a negative, -1 for an item without this label.
int side_of(const data::Labels& labels, Eigen::Index column, graph::Node node) {
  if (labels.has_classes())
    return labels.classes[node] < 0 ? -1 : static_cast<int>(labels.classes[node] == column);
  const float target = labels.targets(node, column);
  return std::isnan(target) ? -1 : static_cast<int>(target > 0.5F);
}

}  // namespace

Ranking ranking(const data::Labels& labels, ConstMatrixRef predictions, Eigen::Index column,
                std::span<const graph::Node> nodes) {
  Ranking result;
  for (const graph::Node node : nodes) {
    const int side = side_of(labels, column, node);
    if (side < 0) continue;
    result.scores.push_back(predictions(node, column));
    result.positives.push_back(static_cast<std::uint8_t>(side));
  }
  return result;
}

}  // namespace edgewise::train
