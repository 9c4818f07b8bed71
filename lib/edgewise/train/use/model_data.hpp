#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Reading data for a trained model.
namespace edgewise::train {

/// What a model is to be used on.
struct ModelRequest {
  std::string path;  ///< The model's file, for messages.
  /// A configuration with the members that differ from training, such as {"data": {"nodes": "new.csv"}}. Without
  /// "data" the model is used on what it was trained on.
  json::Value over{json::Object{}};
  PartHolding parts = {};  ///< For a frozen network, see LoadOptions::parts.
};

/// A model, and the configuration to read data for it.
struct OpenModel {
  TrainedModel trained;
  Config config;
  NamingColumns naming_columns = {};     ///< Those of training, unless the request gives others.
  io::ReadAsText texts = {};             ///< Columns whose spelling matters to the model.
  std::vector<std::string> notes = {};  ///< How its files differ from those of training.
  PartHolding parts = {};               ///< Those of the request.
};

/// Throws UsageError for members that do not go together, as io::find_smiles_column and check_are_files do, and
/// ModelError for data of another kind than in training.
OpenModel open_model(TrainedModel trained, const ModelRequest& request);
/// Loads the model from its file. Also throws as load_trained_model does.
OpenModel open_model(const ModelRequest& request);

/// A model and data for it.
struct ModelData {
  TrainedModel trained;
  DataConfig config = {};  ///< How the data was read.
  SplitConfig split = {};
  Dataset data = {};
  std::vector<ModelInput> inputs = {};
  std::int64_t first_row = 1;  ///< The row of the first item, for graphs that are rows of a table.
};

enum class Needs { features, labels };

/// Each note comes before an error that it may explain. Throws as read_dataset and make_inputs do.
ModelData load_model_data(OpenModel model, Needs needs, const NoteHook& note);

/// Throws UsageError unless `row`, from 1, is one of `count`; DataError naming the data if there are none.
void check_row(std::int64_t row, std::size_t count, const std::string& data);

/// As with Needs::features, but of a table of molecules only those in one `row`, from 1. Also throws UsageError if
/// there is no such row.
ModelData load_row(OpenModel model, std::int64_t row, const NoteHook& note);

}  // namespace edgewise::train
