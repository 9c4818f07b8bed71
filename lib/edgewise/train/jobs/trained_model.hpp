#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/jobs/config.hpp"
#include "edgewise/train/jobs/descriptor_map.hpp"
#include "edgewise/train/jobs/feature_map.hpp"
#include "edgewise/train/jobs/refinement.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// A trained model with all that it takes to ask it about new data. One safetensors file.
struct TrainedModel {
  nn::Model model;
  std::vector<nn::Model> others = {};  ///< The rest of an ensemble, of the same configuration.
  DataConfig data;  ///< How the data it was trained on was read.
  SplitConfig split;
  FeatureMap features;
  DescriptorMap descriptors = {};  ///< Of graphs; of no columns where there are none.
  data::Task task = data::Task::classification;
  std::vector<std::string> label_names;
  data::TargetScaler scaler;  ///< Regression.
  double label_input = 0;     ///< Share of known labels that training showed; 0: they are no features.
  json::Value training;       ///< The record of how it came to be: options, epochs, metrics.
  std::optional<Refinement> refinement = {};  ///< Of its predictions of nodes, where there is one.
  std::vector<TrainedModel> averaged = {};    ///< Models of other kinds, whose predictions are averaged with this one's.
};

/// The kinds of models that an average is of: `trained` itself, and those that it is averaged with.
std::vector<TrainedModel*> kinds_of(TrainedModel& trained);
std::vector<const TrainedModel*> kinds_of(const TrainedModel& trained);

/// What one kind of model, or an ensemble of it, says of every item: [items, outputs]. `deviations` gets the spread
/// between the models (empty for one). Throws ModelError when the batches do not fit.
Matrix predict(TrainedModel& trained, Batches& batches, Matrix* deviations = nullptr);

/// Written whole or not at all.
void save_trained_model(const std::string& path, TrainedModel& trained);

/// The content of the file that `save_trained_model` writes.
io::Safetensors to_safetensors(TrainedModel& trained);

/// The model of such a content; `path` is for messages. Throws as `load_trained_model`.
TrainedModel from_safetensors(const std::string& path, io::Safetensors content);

/// Throws ModelError when the file is damaged, hostile, or was not written by `save_trained_model`.
TrainedModel load_trained_model(const std::string& path);

/// "classification", "multilabel", "regression".
std::string to_string(data::Task task);

}  // namespace edgewise::train
