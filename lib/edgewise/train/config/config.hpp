#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/config/model_config.hpp"
#include "edgewise/train/config/split_config.hpp"
#include "edgewise/train/loop/train_options.hpp"

/// @file
/// The description of a training job, shared by the library and the command line:
///   `{"schema": "edgewise.config/1", "data": {...}, "split": {...}, "model": {...}, "training": {...}}`.
/// docs/command-line.md documents each member.
namespace edgewise::train {

/// When Correct and Smooth follows. `automatic`: when the model is chosen and it pays on the validation nodes.
enum class Smoothing : std::uint8_t { automatic, always, never };

/// What a network sees of a node; identity: each node is its own feature, so that only the structure is learnt; words:
/// its features, and the names of its neighbours in kinds without columns.
enum class Inputs : std::uint8_t { features, identity, words };

struct Config {
  DataConfig data;
  SplitConfig split;
  /// As accepted by nn::Model, or {"preset": "auto"} (see choose.hpp), which is the default if no model is given.
  /// Members without a preset describe a "gat".
  ModelConfig model = {};
  TrainOptions training;
  std::int64_t runs = 1;      ///< "training.runs": seeds seed, seed + 1, ...
  Smoothing correct_and_smooth = Smoothing::automatic;  ///< "training.correct_and_smooth", for classes of nodes.
  std::int64_t ensemble = 1;  ///< "training.ensemble": models per run, whose predictions are averaged.
  std::string from = {};      ///< "training.from": model file to start from. See transfer.hpp.
  bool freeze = false;        ///< "training.freeze": keep these weights fixed.
  Inputs inputs = Inputs::features;  ///< "training.inputs".
  /// "training.budget": a time limit for all runs together, such as "10m"; empty: none. See choose.hpp.
  std::string budget = {};
};

/// Throws UsageError if a configuration has an unknown member.
void check_members(const json::Value& value);
/// Reads a configuration; missing members get their defaults. Throws UsageError naming the member by its path.
Config parse_config(const json::Value& value);
/// All members, including defaults; `parse_config` of it gives an equal configuration.
json::Value to_json(const Config& config);

/// "data", "split" and "training" with their members and command-line flags.
std::vector<json::FieldDoc> config_fields();

/// The flag of the command line for a setting (see core/setting.hpp): "--split-file" for "split.file", "--part" for
/// "part".
std::string flag_of(std::string_view path);

}  // namespace edgewise::train
