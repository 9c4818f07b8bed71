#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "flags.hpp"

namespace edgewise::app {

/// The sources of the configuration of `edgewise train`. Later ones override earlier ones: the recipe of the data set,
/// the checkpoint to resume, the config file, the flags.
struct ConfigSources {
  std::string dataset;  ///< From the command line; if empty, that of the file or the flags.
  std::string file;
  std::string resume;
  json::Value flags{json::Object{}};
  /// What the checkpoint and the file say, once `read_files` has read them.
  std::optional<json::Value> files = std::nullopt;
};

/// Reads the checkpoint and the file, so that all configurations that are made of these sources agree, and a file need
/// not be one that can be read twice. Throws as `read_config`.
void read_files(ConfigSources& sources);

/// Adds the flags of a preset: --model, --heads, --hidden, ...
void add_model_flags(CLI::App& verb, ConfigFlags& flags);

/// Members or sections of a configuration, such as "data" and "training.runs".
using ConfigPaths = std::initializer_list<const char*>;

/// The error for a checkpoint with an invalid configuration.
ModelError damaged_checkpoint(const std::string& path, const Error& error);

/// Whether a checkpoint alone says what is at `paths`, but for how long to train.
bool is_as_checkpoint_says(const ConfigSources& sources, ConfigPaths paths);

/// Runs `call`, which depends on what is at `paths`. If the checkpoint alone says that, a UsageError becomes a
/// ModelError naming the file.
template <class Call>
auto blame_checkpoint(const ConfigSources& sources, ConfigPaths paths, const Call& call) {
  try {
    return call();
  } catch (const UsageError& error) {
    if (!is_as_checkpoint_says(sources, paths)) throw;
    throw damaged_checkpoint(sources.resume, error);
  }
}

/// The data of the job. Throws as `read_dataset`, or ModelError if it cannot be loaded as the checkpoint to resume
/// says either, although its files are there.
train::Dataset load_data(const ConfigSources& sources, const train::Config& config,
                         const train::PartHolding& parts = {});

/// Throws UsageError if `flags` include a flag of another kind of split than the one in force.
void check_split_flags(const json::Value& flags, const train::SplitConfig& effective);

/// Throws UsageError for shares of a split that is not drawn by shares.
void check_share_flags(const json::Value& flags, const train::SplitConfig& effective, const train::Dataset& data);

/// The configuration in force, from the files as `read_files` has found them or as they are now. Throws UsageError for
/// errors in it, or ModelError if they come from a checkpoint.
train::Config read_config(const ConfigSources& sources);

}  // namespace edgewise::app
