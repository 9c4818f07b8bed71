#pragma once

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/jobs/config.hpp"
#include "edgewise/train/jobs/job_data.hpp"
#include "flags.hpp"

namespace edgewise::app {

/// The sources of the configuration of `edgewise train`. Later ones override earlier ones: the recipe of the data set,
/// the checkpoint to resume, the config file, the flags.
struct ConfigSources {
  std::string dataset;  ///< From the command line; if empty, that of the file or the flags.
  std::string file;
  std::string resume;
  json::Value flags{json::Object{}};
  std::int64_t head_width = 0;  ///< --width: hidden units per head; 0 when not given.
};

/// Adds the flags of a preset: --model, --heads, --hidden, ...
void add_model_flags(CLI::App& verb, ConfigFlags& flags);

/// The error for a checkpoint with an invalid configuration.
ModelError damaged_checkpoint(const std::string& path, const UsageError& error);

/// Whether the configuration comes from a checkpoint alone.
bool is_as_checkpoint_says(const ConfigSources& sources);

/// Runs `call`. If the configuration comes from a checkpoint alone, a UsageError becomes a ModelError naming the file.
template <class Call>
auto blame_checkpoint(const ConfigSources& sources, const Call& call) {
  try {
    return call();
  } catch (const UsageError& error) {
    if (!is_as_checkpoint_says(sources)) throw;
    throw damaged_checkpoint(sources.resume, error);
  }
}

/// Throws UsageError if `flags` include a flag of another kind of split than the one in force.
void check_split_flags(const json::Value& flags, const train::SplitConfig& in_force);

/// Throws UsageError for shares of a split that is not drawn by shares.
void check_share_flags(const json::Value& flags, const train::SplitConfig& in_force, const train::JobData& data);

/// The configuration in force. Throws UsageError for errors in it, or ModelError if they come from a checkpoint.
train::Config read_config(const ConfigSources& sources);

}  // namespace edgewise::app
