#include "edgewise/train/inputs/label_input.hpp"

#include <cmath>

#include "edgewise/data/append_columns.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

/// The visible values of a known row of targets; unknown targets show nothing.
Eigen::RowVectorXf shown_targets(const data::Labels& labels, ConstMatrixRef targets, graph::Node node) {
  Eigen::RowVectorXf row = targets.row(node);
  for (float& value : row) {
    if (std::isnan(value))
      value = 0;
    else if (labels.has_flags())
      value = value > 0.5F ? 1.0F : -1.0F;
  }
  return row;
}

}  // namespace

std::size_t label_columns(data::Task task, std::size_t labels) { return labels + (task.has_numbers() ? 1 : 0); }

void append_labels(const data::Labels& labels, const data::TargetScaler& scaler, std::span<const graph::Node> known,
                   data::Features& features) {
  const auto columns = static_cast<Eigen::Index>(label_columns(labels.task, labels.names.size()));
  Matrix shown = Matrix::Zero(static_cast<Eigen::Index>(features.rows()), columns);
  const Matrix scaled = labels.has_numbers() ? scaler.transform(labels.targets) : Matrix();
  for (const graph::Node node : labelled(labels, known)) {
    if (labels.has_classes()) {
      shown(node, labels.classes[node]) = 1;
      continue;
    }
    const bool is_regression = labels.has_numbers();
    const Eigen::RowVectorXf row = shown_targets(labels, is_regression ? scaled : labels.targets, node);
    shown.row(node).head(row.size()) = row;
    if (is_regression) shown(node, columns - 1) = 1;
  }
  data::append_columns(shown, features);
  features.names.clear();
}

}  // namespace edgewise::train
