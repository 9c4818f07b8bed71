#pragma once

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/jobs/config.hpp"
#include "flags.hpp"

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
/// The flags of a model that is a preset: --model, --heads, --hidden, ...
void add_model_flags(ConfigFlags& flags);
/// Throws UsageError when `model` names none of them, with the one that was perhaps meant.
void check_model_name(const json::Value& model);

/// What to throw for a checkpoint with a wrong configuration.
ModelError damaged_checkpoint(const std::string& path, const UsageError& error);

/// Whether nothing but a checkpoint says how the job is to be.
bool is_as_checkpoint_says(const ConfigSources& sources);

/// Runs `call`. Where nothing but a checkpoint says how the job is to be, a UsageError becomes a ModelError naming it.
template <class Call>
auto blame_checkpoint(const ConfigSources& sources, const Call& call) {
  try {
    return call();
  } catch (const UsageError& error) {
    if (!is_as_checkpoint_says(sources)) throw;
    throw damaged_checkpoint(sources.resume, error);
  }
}

/// Throws UsageError for what goes with `train` alone: weights to go on from, and pretraining.
void check_comparable(const train::Config& config);

/// The configuration in force. Throws UsageError for what is wrong in it, ModelError where a checkpoint has it wrong.
train::Config read_config(const ConfigSources& sources);

}  // namespace edgewise::app
