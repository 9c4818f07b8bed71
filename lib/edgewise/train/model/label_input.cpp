#include "edgewise/train/model/label_input.hpp"

#include <cmath>

#include "edgewise/data/splits.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"

namespace edgewise::train {
namespace {

using data::Task;

/// The visible values of a known row of targets; unknown targets show nothing.
Eigen::RowVectorXf shown_targets(const data::Labels& labels, ConstMatrixRef targets, graph::Node node) {
  Eigen::RowVectorXf row = targets.row(node);
  for (float& value : row) {
    if (std::isnan(value))
      value = 0;
    else if (labels.task == Task::multilabel)
      value = value > 0.5F ? 1.0F : -1.0F;
  }
  return row;
}

/// The training nodes if this is the training data or has its own split; else all labelled nodes.
std::vector<graph::Node> known_nodes(const TrainedModel& trained, const JobData& data, const SplitConfig& split) {
  if (data.labels.names.empty()) return {};
  std::optional<data::Split> parts = training_split(trained, data);
  const auto seed = static_cast<std::uint64_t>(trained.training.get("seed", std::int64_t{0}));
  if (!parts && has_given_split(data, split))
    parts = make_split(data, split, seed, trained.training.get("run", std::int64_t{0}));
  if (parts) return labelled(data.labels, data::nodes_with_role(*parts, data::Role::train));
  return data::labelled_nodes(data.labels);
}

}  // namespace

std::size_t label_columns(data::Task task, std::size_t labels) { return labels + (task == Task::regression ? 1 : 0); }

void append_labels(const data::Labels& labels, const data::TargetScaler& scaler, std::span<const graph::Node> known,
                   data::Features& features) {
  const auto columns = static_cast<Eigen::Index>(label_columns(labels.task, labels.names.size()));
  Matrix shown = Matrix::Zero(static_cast<Eigen::Index>(features.rows()), columns);
  const Matrix scaled = labels.task == Task::regression ? scaler.transform(labels.targets) : Matrix();
  for (const graph::Node node : labelled(labels, known)) {
    if (labels.task == Task::classification) {
      shown(node, labels.classes[node]) = 1;
      continue;
    }
    const bool is_regression = labels.task == Task::regression;
    const Eigen::RowVectorXf row = shown_targets(labels, is_regression ? scaled : labels.targets, node);
    shown.row(node).head(row.size()) = row;
    if (is_regression) shown(node, columns - 1) = 1;
  }
  append_columns(shown, features);
  features.names.clear();
}

data::Features features_for(const TrainedModel& trained, const JobData& data, const SplitConfig& split,
                            std::vector<std::string>* notes) {
  data::Features features = trained.features.apply(data, notes);
  if (trained.label_input == 0) return features;
  const std::vector<graph::Node> known = known_nodes(trained, data, split);
  if (!known.empty()) {
    append_labels(data.labels, trained.scaler, known, features);
    return features;
  }
  if (notes != nullptr)
    notes->emplace_back("the model uses known labels of neighbours, but here none are known");
  const auto columns = static_cast<Eigen::Index>(label_columns(trained.task, trained.label_names.size()));
  append_columns(Matrix::Zero(static_cast<Eigen::Index>(features.rows()), columns), features);
  return features;
}

}  // namespace edgewise::train
