#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// The defaults of a job, which depend on its data.
namespace edgewise::train {

/// SplitConfig::holdout of a job that says neither this nor the share of the validation part: without validation items
/// nothing could be chosen.
inline constexpr double kHoldout = 0.1;

/// The given configuration, merged over the defaults for its kind of data, the recipe of its data set
/// (datasets/recipes/NAME.json) and what the model file to start from says. `parse_config` reads the result. Throws
/// UsageError for an unknown data set, ModelError for a damaged model file.
json::Value with_defaults(json::Value given);

/// For the data of a job: how it is split, and which columns the model file to start from reads as texts. Throws
/// ModelError if that file is damaged.
LoadOptions load_options_for(const Config& config);

/// The names of presets and baselines, and "auto".
std::vector<std::string> model_names();
/// Throws UsageError if "preset" of `model` is none of `model_names`, with a "did you mean" suggestion.
void check_model_name(const ModelConfig& model);

}  // namespace edgewise::train
