#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/train/jobs/job_data.hpp"
#include "edgewise/train/jobs/trained_model.hpp"
#include "edgewise/train/loop/reorder.hpp"

/// @file
/// Asking a trained model about data: what each kind of model that it is made of gets of them, and what they say.
namespace edgewise::train {

/// Data as one kind of model wants them.
struct ModelInput {
  data::Features features;
  Matrix descriptors = {};  ///< Of the graphs, where the model takes some.
  graph::FrozenGraph graph;
  NodeOrder order = {};  ///< Of the nodes in `features` and `graph`.

  /// They refer to this, and to `data`, of which this was made.
  std::unique_ptr<Batches> batches(const JobData& data) const;
};

/// How data are made ready for a model.
struct InputOptions {
  SplitConfig split = {};        ///< Whose training nodes are known by their labels, where these are input.
  std::string reorder = "none";  ///< Nodes in memory: see loop/reorder.hpp.
  std::vector<std::string>* notes = nullptr;  ///< Gets what a person should know.
};

/// One for each of `kinds_of(trained)`, in their order. Throws as FeatureMap::apply, DescriptorMap::apply and
/// `check_pairs` do.
std::vector<ModelInput> make_inputs(const TrainedModel& trained, const JobData& data, const InputOptions& options = {});

/// Takes what Correct and Smooth knows of the nodes of training out of `trained`, where `data` is of another network;
/// `notes` get a line that says so.
void drop_foreign_refinements(const JobData& data, TrainedModel& trained, std::vector<std::string>& notes);

/// Makes no kind of model see the labels of `nodes`, where it takes labels as input.
void hide_labels(const TrainedModel& trained, std::span<const graph::Node> nodes, std::span<ModelInput> inputs);

/// What `trained` says of every item of `data`: [items, outputs], the mean over its kinds, each refined where it is.
/// `inputs` are those of `make_inputs`. `deviations` gets the spread between the kinds, of one kind between its models,
/// and nothing of one model. Throws ModelError when the data do not fit.
Matrix predict(TrainedModel& trained, const JobData& data, std::span<const ModelInput> inputs,
               Matrix* deviations = nullptr);

}  // namespace edgewise::train
