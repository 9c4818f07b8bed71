#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/data/target_scaler.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/inputs/descriptor_map.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/inputs/pair_map.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/model/applicability_domain.hpp"
#include "edgewise/train/model/calibration.hpp"
#include "edgewise/train/model/refinement.hpp"
#include "edgewise/train/model/training_record.hpp"

namespace edgewise::train {

/// A trained model with everything needed to predict on new data, stored as one safetensors file.
struct TrainedModel {
  nn::Model model;
  std::vector<nn::Model> other_members = {};  ///< The other members of an ensemble, with the same configuration.
  DataConfig data;  ///< How its training data was read.
  SplitConfig split;
  FeatureMap features;
  DescriptorMap descriptors = {};  ///< For graphs; without columns if there are none.
  data::Task task = data::Task::classification;
  std::vector<std::string> label_names;
  data::TargetScaler scaler;  ///< Regression.
  double label_input = 0;     ///< Share of known labels shown in training; 0: labels are not features.
  TrainingRecord training = {};
  std::optional<Refinement> refinement = {};  ///< Applied to its node predictions, if set.
  Calibration calibration = {};               ///< Of the predictions of all kinds together.
  ApplicabilityDomain applicability_domain = {};              ///< Of the training items of all kinds together.
  std::vector<TrainedModel> other_components = {};    ///< Models of other kinds to average predictions with.
  std::optional<PairMap> pairs = {};          ///< Set if it writes targets for sources; then there are no features.
  std::optional<LinkMap> links = {};          ///< Set if it says which ties there are.
};

/// What it was trained as, by a configuration; its blocks if its training did not say.
ModelConfig model_of(const TrainedModel& trained);

/// The kinds of models in an average: `trained` itself and those it is averaged with.
std::vector<TrainedModel*> components_of(TrainedModel& trained);
std::vector<const TrainedModel*> components_of(const TrainedModel& trained);

/// Predictions of one kind of model, or of an ensemble of it, for every item: [items, outputs]. `deviations` receives
/// the spread between the models (empty for one). Throws ModelError if the batches do not fit.
Matrix predict(TrainedModel& trained, Batches& batches, Matrix* deviations = nullptr);

/// Writes the file atomically.
void save_trained_model(const std::string& path, TrainedModel& trained);

/// The content of the file written by `save_trained_model`.
io::Safetensors to_safetensors(TrainedModel& trained);

/// Restores the model from such content; `path` is for messages. Throws as `load_trained_model`.
TrainedModel from_safetensors(const std::string& path, io::Safetensors content);

/// Throws ModelError if the file is damaged, hostile, or was not written by `save_trained_model`.
TrainedModel load_trained_model(const std::string& path);

}  // namespace edgewise::train
