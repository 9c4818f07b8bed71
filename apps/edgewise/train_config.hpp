#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config.hpp"

namespace edgewise::app {

/// Where the configuration of `edgewise train` comes from, the later ones over the earlier: the recipe of the data set,
/// the checkpoint to resume, the file, the flags.
struct ConfigSources {
  std::string dataset;  ///< Of the command line; else that of the file or of the flags.
  std::string file;
  std::string resume;
  json::Value flags{json::Object{}};
  std::int64_t head_width = 0;  ///< --width: hidden units a head; 0 when not given.
};

/// Presets and baselines.
std::vector<std::string> model_names();
/// Throws UsageError when `model` names none of them, with the one that was perhaps meant.
void check_model_name(const json::Value& model);

/// The configuration in force. Throws UsageError for what is wrong in it.
train::Config read_config(const ConfigSources& sources);

}  // namespace edgewise::app
