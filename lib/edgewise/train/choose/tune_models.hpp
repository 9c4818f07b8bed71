#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/result_log.hpp"
#include "edgewise/train/choose/tuning.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Searching for a better configuration on the validation items, with the trials of tuning.hpp.
namespace edgewise::train {

/// The time limit of a search in seconds: `budget` is "90s", "10m" or "2h", by default ten minutes. Infinite if
/// `brackets` are counted, that is, not 0. Throws UsageError for another text, and if both are given.
double time_limit(const std::optional<std::string>& budget, std::int64_t brackets);

/// The presets to tune: `named`, or else the one in `config`, or else all that suit the data. Throws UsageError for
/// names that are no models, and for models with nothing to tune.
std::vector<std::string> models_to_tune(const std::vector<std::string>& named, const Config& config,
                                        const Dataset& data);

/// What to search, for how long, and how to train a trial.
struct TuningPlan {
  std::vector<std::string> models;  ///< From `models_to_tune`.
  bool are_models_named = false;    ///< Otherwise a search over an automatic choice starts with that.
  /// The configuration with the settings of a trial; that to start from for {}.
  std::function<Config(const json::Value& settings)> config_of;
  double seconds = std::numeric_limits<double>::infinity();
  std::int64_t brackets = std::numeric_limits<std::int64_t>::max();
};

/// What may be called during a search; each may be empty.
struct TuningHooks {
  /// The result of a training that was made earlier.
  std::function<std::optional<TuningStep>(const Trial& trial, std::int64_t epochs)> find;
  std::function<void(const TuningStep& step)> keep;  ///< Called after every other training.
  JobHooks training;  ///< Its clock also measures `TuningPlan::seconds`.
};

/// What a search found.
struct Search {
  std::string metric;
  std::vector<TuningStep> steps;
  std::optional<TuningStep> best;               ///< Nothing if it was stopped before the first training ended.
  Config found;                                 ///< The configuration of the best.
  std::map<std::string, std::size_t> problems;  ///< Why trainings failed, and how often.
  bool was_stopped = false;                     ///< By `training.should_stop`.
};

/// Trains trial after trial until the time is up or the brackets are done; a training that is cut short does not count,
/// but for an automatic choice at the start, which takes half of the time at most.
/// Throws UsageError if no training was possible or ended in time, and DataError if the metric is not defined on the
/// validation items.
Search tune_models(const TuningPlan& plan, const Dataset& data, const TuningHooks& hooks);

/// The log of a search, tied to its configuration, its models and the contents of `files`. Throws DataError, with the
/// place, for a result that no trial of `plan` on `data` has.
ResultLog open_search_log(std::string path, const Config& config, const TuningPlan& plan, const Dataset& data,
                          const std::vector<NamedFile>& files);

/// Finds earlier trainings in the log, which must outlive the hooks, and keeps others there.
void use_log(ResultLog& log, TuningHooks& hooks);

/// Of a search with a best: {"metric", "trials", "best", "configuration", "steps": [{"trial", "epochs", "validation",
/// "seconds", "settings"}], "interrupted"}. "best" is one of the steps.
json::Value to_json(const Search& search);

}  // namespace edgewise::train
