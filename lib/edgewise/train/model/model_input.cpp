#include "edgewise/train/model/model_input.hpp"

#include <algorithm>
#include <iterator>

#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/inputs/label_input.hpp"
#include "edgewise/train/inputs/pair_limits.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/label_mask.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/source/atom_items.hpp"

namespace edgewise::train {
namespace {

constexpr double kGathersOfModel = 2;  // passes along all edges in a forward pass: one per layer

/// The training nodes if this is the training data or has its own split; else all labelled nodes.
std::vector<graph::Node> known_nodes(const TrainedModel& trained, const Dataset& data, const SplitConfig& split) {
  if (data.labels.names.empty()) return {};
  std::optional<data::Split> parts = training_split(trained, data);
  if (!parts && has_given_split(data, split))
    parts = make_split(data, split, trained.training.seed, trained.training.run);
  if (parts) return labelled(data.labels, data::nodes_with_role(*parts, data::Role::train));
  return data::labelled_nodes(data.labels);
}

ModelInput make_input(const TrainedModel& trained, const Dataset& data, const InputOptions& options) {
  ModelInput input{.features = {},
                   .descriptors = {},
                   .graph = freeze(data, trained.model.graph_options())};
  check_pairs(trained.model, data, input.graph);
  input.features = features_for(trained, data, options.split, options.notes);
  input.descriptors = trained.descriptors.apply(data);
  if (options.notes != nullptr)
    std::ranges::move(trained.descriptors.far_notes(data.table), std::back_inserter(*options.notes));
  const auto models = static_cast<double>(1 + trained.other_members.size());
  input.order = reorder(data, options.reorder, kGathersOfModel * models, input.graph, input.features);
  if (options.notes != nullptr && !input.order.note.empty()) options.notes->push_back(input.order.note);
  return input;
}

/// The mean of what is unexplained by the kernels of the kinds that have one.
Matrix unexplained_by(const TrainedModel& trained, std::span<const ModelInput> inputs) {
  const std::vector<const TrainedModel*> kinds = components_of(trained);
  Ensemble uncertainty_inputs;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i]->descriptors.has_kernel()) uncertainty_inputs.add(unexplained(inputs[i].descriptors));
  return uncertainty_inputs.mean();
}

}  // namespace

data::Features features_for(const TrainedModel& trained, const Dataset& data, const SplitConfig& split,
                            std::vector<std::string>* notes) {
  const bool needs_no_names = trained.links && model_of(trained).is_baseline() &&
                              trained.features.kind() == FeatureMap::Kind::identity;  // it counts ties of any nodes
  data::Features features = trained.features.apply(data, needs_no_names ? nullptr : notes);
  if (trained.label_input == 0) return features;
  const std::vector<graph::Node> known = known_nodes(trained, data, split);
  if (!known.empty()) {
    append_labels(data.labels, trained.scaler, known, features);
    return features;
  }
  if (notes != nullptr)
    notes->emplace_back("the model uses known labels of neighbours, but here none are known");
  const auto columns = static_cast<Eigen::Index>(label_columns(trained.task, trained.label_names.size()));
  data::append_columns(Matrix::Zero(static_cast<Eigen::Index>(features.rows()), columns), features);
  return features;
}

std::unique_ptr<Batches> ModelInput::batches(const Dataset& data) const {
  return make_batches(data, features, graph, TrainOptions{}.batch_size, order.nodes, {}, &descriptors);
}

std::vector<ModelInput> make_inputs(const TrainedModel& trained, const Dataset& data, const InputOptions& options) {
  std::vector<ModelInput> inputs;
  for (const TrainedModel* kind : components_of(trained)) inputs.push_back(make_input(*kind, data, options));
  return inputs;
}

void drop_foreign_refinements(const Dataset& data, TrainedModel& trained, std::vector<std::string>& notes) {
  for (TrainedModel* kind : components_of(trained)) {
    if (!kind->refinement) continue;
    const std::string reason = foreign_network(*kind->refinement, data.graph);
    if (reason.empty()) continue;
    kind->refinement.reset();
    notes.push_back(reason);
  }
}

void hide_labels(const TrainedModel& trained, std::span<const graph::Node> nodes, std::span<ModelInput> inputs) {
  const std::vector<const TrainedModel*> kinds = components_of(trained);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i]->label_input == 0) continue;
    const std::vector<graph::Node> place = graph::inverse(inputs[i].order.nodes);
    std::vector<graph::Node> rows(nodes.begin(), nodes.end());
    if (!place.empty())
      for (graph::Node& row : rows) row = place[row];
    hide_labels(rows, label_columns(trained.task, trained.label_names.size()), inputs[i].features);
  }
}

Matrix uncertainty_inputs_of(const TrainedModel& trained, const Dataset& data, const Matrix& unexplained) {
  if (!trained.applicability_domain.has_novelty() || !data.graphs || !data.graphs->are_molecules) return {};
  Matrix uncertainty_inputs = trained.applicability_domain.novelty(data.graphs->smiles);
  if (unexplained.size() > 0) data::append_columns(unexplained, uncertainty_inputs);
  return uncertainty_inputs;
}

Matrix predict(TrainedModel& trained, const Dataset& data, std::span<const ModelInput> inputs, Matrix* deviations) {
  const std::vector<TrainedModel*> kinds = components_of(trained);
  Ensemble average;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto batches = inputs[i].batches(data);
    const Matrix predictions = predict(*kinds[i], *batches, deviations);
    average.add(kinds[i]->refinement ? refine(*kinds[i]->refinement, data.graph, predictions) : predictions);
  }
  if (deviations != nullptr && kinds.size() > 1) *deviations = average.deviation();
  Matrix predictions = average.mean();
  if (data.atoms) keep_totals(*data.atoms, predictions);
  trained.calibration.apply(
      predictions, deviations,
      deviations == nullptr ? Matrix() : uncertainty_inputs_of(trained, data, unexplained_by(trained, inputs)));
  return predictions;
}

}  // namespace edgewise::train
