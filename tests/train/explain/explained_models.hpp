#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/use/model_data.hpp"
#include "support/temporary_directory.hpp"
#include "train/friend_files.hpp"
#include "train/notes.hpp"

/// @file
/// Small models with their data, to be explained.
namespace edgewise::test {

struct MoleculeReading {
  std::string features = "standard/2";
  std::vector<std::string> descriptors = {};
};

/// A model of a few molecules; the second row cannot be read and the third is empty.
inline train::ModelData trained_on_molecules(const json::Value& model, const MoleculeReading& reading = {}) {
  TemporaryDirectory directory;
  directory.write("m.csv", "smiles,y\nCCO,1\nC1CC,2\n,3\nCCCC,4\nc1ccccc1,5\nCO,6\nCN,7\nCC,8\nCCN,9\n");
  train::Config config;
  config.data.molecules = (directory.path() / "m.csv").string();
  config.data.label = {"y"};
  config.data.task = "regression";
  config.data.atom_features = reading.features;
  config.data.descriptors = reading.descriptors;
  config.model = model;
  config.training.epochs = 2;
  train::Run run = train::run_job(config, train::read_dataset(config.data), 0);
  return train::load_model_data(train::open_model(std::move(*run.trained), {"m"}), train::Needs::features, ignore_note);
}

inline json::Value small_gatv2(const char* readout) {
  return json::Object{{"preset", "gatv2"}, {"hidden", 8}, {"heads", 2}, {"layers", 2}, {"readout", readout}};
}

inline train::ModelData trained_on_friends(FriendFiles& files, const json::Value& model) {
  files.config.training.epochs = 2;
  files.config.model = model;
  train::Run run = train::run_job(files.config, train::read_dataset(files.config.data), 0);
  return train::load_model_data(train::open_model(std::move(*run.trained), {"m"}), train::Needs::features, ignore_note);
}

/// The lines of a table in which `name` is no field.
inline std::string lines_without(const std::string& name, const std::string& table) {
  std::istringstream lines(table);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (("," + line + ",").find("," + name + ",") == std::string::npos) kept += line + "\n";
  return kept;
}

/// The same files without a person and their friendships.
inline train::ModelData load_friends_without(const std::string& name, const FriendFiles& files,
                                             train::TrainedModel trained) {
  for (const char* file : {"friends.csv", "people.csv"}) {
    std::ostringstream text;
    text << std::ifstream(files.path(file)).rdbuf();
    files.write(file, lines_without(name, text.str()));
  }
  return train::load_model_data(train::open_model(std::move(trained), {"m"}), train::Needs::features, ignore_note);
}

}  // namespace edgewise::test
