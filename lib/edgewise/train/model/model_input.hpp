#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/train/loop/reorder.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Predicting with a trained model: preparing the input of each kind of model it consists of, and combining the
/// outputs.
namespace edgewise::train {

/// The input of a trained model for the nodes of `data`: their features, followed by known labels if the model takes
/// labels as input. These are the labels of the training nodes if `data` is the training data or has its own split;
/// else of all labelled nodes. `data` holds its labels if it has any. Throws as FeatureMap::apply does. `notes`, if
/// set, receives remarks for the user.
data::Features features_for(const TrainedModel& trained, const Dataset& data, const SplitConfig& split,
                            std::vector<std::string>* notes = nullptr);

/// The input of one kind of model.
struct ModelInput {
  data::Features features;
  Matrix descriptors = {};  ///< Of the graphs, if the model uses them.
  graph::FrozenGraph graph;
  NodeOrder order = {};  ///< Order of the nodes in `features` and `graph`.

  /// They refer to this, and to `data`, from which this was made.
  std::unique_ptr<Batches> batches(const Dataset& data) const;
};

/// How data is prepared for a model.
struct InputOptions {
  SplitConfig split = {};        ///< Its training nodes have known labels, if labels are input.
  std::string reorder = "none";  ///< Node order in memory: see loop/reorder.hpp.
  std::vector<std::string>* notes = nullptr;  ///< Receives remarks for the user.
};

/// One for each of `components_of(trained)`, in the same order. Throws as FeatureMap::apply, DescriptorMap::apply and
/// `check_pairs` do.
std::vector<ModelInput> make_inputs(const TrainedModel& trained, const Dataset& data, const InputOptions& options = {});

/// Removes the training labels kept for Correct and Smooth from `trained` if `data` is a different network; `notes`
/// receive a line about it.
void drop_foreign_refinements(const Dataset& data, TrainedModel& trained, std::vector<std::string>& notes);

/// Hides the labels of `nodes` from every kind of model that takes labels as input.
void hide_labels(const TrainedModel& trained, std::span<const graph::Node> nodes, std::span<ModelInput> inputs);

/// What may tell for which items a model errs more, beside the spread of its members: the novelty of molecules, and, if
/// not empty, what is `unexplained` by the model's kernels. Empty if it does not know its molecules.
Matrix uncertainty_inputs_of(const TrainedModel& trained, const Dataset& data, const Matrix& unexplained);

/// The predictions of `trained` for every item of `data`: [items, outputs], the mean over its kinds, each refined if it
/// has a refinement. `inputs` are those of `make_inputs`. `deviations` receives the spread between the kinds; for one
/// kind, between its models; empty for one model without uncertainty inputs. Both are calibrated if the model is.
/// Throws ModelError if the data does not fit.
Matrix predict(TrainedModel& trained, const Dataset& data, std::span<const ModelInput> inputs,
               Matrix* deviations = nullptr);

}  // namespace edgewise::train
