#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/choose/result_log.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Training several models on the same splits, to compare them.
namespace edgewise::train {

/// Runs of each model, unless the configuration says otherwise.
inline constexpr std::int64_t kComparedRuns = 5;

/// `given`, a configuration as `with_defaults` takes it, changed so that it trains `model`: the name of a preset or
/// baseline, or of a Variant. "": `given` as it is.
json::Value contender_config(json::Value given, const std::string& model);

/// Which models to compare, and how to train each.
struct ComparisonPlan {
  std::vector<std::string> models;
  std::function<Config(const std::string& model)> config_of;  ///< That of all models for "".
  /// Also tries the best with labels as input, and without edges, where this makes sense.
  bool with_variants = false;
  /// Also compares the average that a choice among the models keeps, where it averages (labels of whole graphs).
  bool with_average = false;
};

/// What is kept of a run.
struct ComparedRun {
  std::string metric;
  double validation = 0;
  double test = 0;
  double seconds = 0;
  std::optional<Run> made = {};  ///< Of whole graphs, for averages; not of a run that was made earlier.
};

/// What may be called during a comparison; each may be empty.
struct ComparisonHooks {
  using Find = std::optional<ComparedRun>(const std::string& model, const Config& config, std::int64_t run);
  using Keep = void(const std::string& model, const Config& config, std::int64_t run, const ComparedRun& result);
  std::function<Find> find;  ///< The result of a run that was made earlier.
  std::function<Keep> keep;  ///< Called after every other run.
  std::function<void(const Contender&)> on_contender;  ///< Called when all runs of a model are done.
  NoteHook note;                                       ///< Why a model is skipped.
  JobHooks training;
};

/// The models that were compared.
struct Comparison {
  std::string metric;
  std::vector<Contender> contenders;
  std::vector<std::vector<ComparedRun>> runs;  ///< Of the contenders.
  Sample sample;             ///< The test items of a run.
  bool was_stopped = false;  ///< By `training.should_stop`; the model it stopped is left out.
};

/// Throws UsageError for what cannot be compared: models that start from a file, and pretraining.
void check_comparable(const Config& config);

/// Throws UsageError unless the splits, steps and metric of `config` suit the data.
void check_comparable(const Config& config, const Dataset& data);

/// The data of the job, held as `parts` says. Throws as `read_dataset` and `check_comparable`.
Dataset read_comparable(const Config& config, const PartHolding& parts);

/// Runs the models one after another. Those that do not suit the data are skipped, with a note. Throws NumericalError
/// if training makes numbers that are not finite.
Comparison compare_models(const ComparisonPlan& plan, const Dataset& data, const ComparisonHooks& hooks);

/// The log of runs, tied to the configuration and the contents of `files`, but not to the models, the number of runs or
/// the share of the training items. Throws DataError, with the place, for a result that no run on `data` has.
ResultLog open_comparison_log(std::string path, Config config, const Dataset& data,
                              const std::vector<NamedFile>& files);

/// Finds earlier runs in the log, which must outlive the hooks, and keeps others there.
void use_log(ResultLog& log, ComparisonHooks& hooks);

/// Of a comparison with at least one contender, best first: {"metric", "models": [{"model", "validation", "test",
/// "beside_best", "seconds"}], "best", "verdict", "interrupted"}. `planned`: the number of models that were to be
/// compared.
json::Value to_json(const Comparison& comparison, const Dataset& data, std::size_t planned);

}  // namespace edgewise::train
