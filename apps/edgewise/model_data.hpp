#pragma once

#include <string>
#include <vector>

#include "edgewise/train/jobs/job_data.hpp"
#include "edgewise/train/jobs/model_input.hpp"
#include "edgewise/train/jobs/trained_model.hpp"
#include "flags.hpp"
#include "session.hpp"

namespace edgewise::app {

/// Arguments of the verbs that apply a model to data: the model file, and a data set of the catalogue or data flags.
struct ModelArguments {
  std::string model;
  std::string dataset;
  json::Value flags{json::Object{}};
};

void add_model_arguments(CLI::App& verb, ModelArguments& arguments);

/// A model and data for it. By default it is the data that the model was trained on.
struct ModelData {
  train::TrainedModel trained;
  train::DataConfig config;  ///< How the data was read.
  train::SplitConfig split;
  train::JobData data;
  std::vector<train::ModelInput> inputs;
};

enum class Needs { features, labels };

/// A model, and the configuration to read data for it.
struct OpenModel {
  train::TrainedModel trained;
  train::Config config;
  train::NamingColumns naming_columns = {};  ///< Those of training, unless flags give others.
  io::ReadAsText texts = {};                 ///< Columns whose spelling matters to the model.
  std::vector<std::string> notes = {};       ///< How its files differ from those of training.
};

/// Throws as load_trained_model and io::find_smiles_column do, UsageError for flags that do not go together, and
/// ModelError for molecules or a network if the model was trained on the other.
OpenModel open_model(const ModelArguments& arguments);

/// Prints the model's notes. Throws as load_job_data and FeatureMap::apply do.
ModelData load_model_data(const Session& session, OpenModel model, Needs needs);

/// Throws as load_trained_model, load_job_data and FeatureMap::apply do.
ModelData load_model_data(const Session& session, const ModelArguments& arguments, Needs needs);

}  // namespace edgewise::app
