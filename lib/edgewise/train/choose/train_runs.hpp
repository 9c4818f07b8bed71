#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/run/run_set.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// A job from its first run to its last: the best is kept, and what is interrupted can be resumed.
namespace edgewise::train {

/// Where a job is kept while it runs.
struct RunFiles {
  std::string model = {};       ///< The model of the best run so far; empty: nowhere.
  std::string checkpoint = {};  ///< The state; empty: only when the job is stopped, beside the model.
  std::string resume = {};      ///< A checkpoint to resume; empty: starts afresh.
};

/// Whether a run can be saved and resumed: between epochs, or between the models of a choice. Others are only saved
/// between runs.
bool has_state(const Config& config);

/// Throws UsageError if `files` ask for the state of a job that has none: one run of an ensemble or a baseline.
void check_state(const Config& config, const RunFiles& files);

/// Where the state of the job is saved; empty: nowhere.
std::string checkpoint_path(const Config& config, const RunFiles& files);

/// Hooks for the caller of `train_runs`. All may be empty.
struct RunHooks {
  /// Those of each run; its `checkpoint`, `checkpoint_note` and `resume` are set by `train_runs`.
  JobHooks fit = {};
  /// Called with what the first run says of its result, and with what becomes of runs that are resumed or stopped.
  NoteHook note = {};
  std::function<void(std::int64_t run, std::uint64_t seed)> on_start = {};
  /// After each run that counts, when it has been saved.
  std::function<void(const Report& report)> on_end = {};
  /// When a run has ended because `fit.should_stop` says so: what is finished is still saved, undisturbed.
  std::function<void()> on_stop = {};
};

/// The finished runs of a job.
struct TrainedRuns {
  RunSet set = {};
  bool was_stopped = false;
  bool has_checkpoint = false;          ///< This call has saved the state.
  std::string checkpoint_problem = {};  ///< Of the last run that has checkpoints; see Report.
};

/// Trains the runs of a job that `files.resume` does not have yet, one after another. A run that is stopped counts only
/// if it is the first; there is none if it had to be given up (see Interrupted). Throws as `run_job`, `read_checkpoint`
/// and RunSet::from_note do; UsageError if the checkpoint is of a run that this job cannot continue.
TrainedRuns train_runs(const Config& config, const Dataset& data, const RunFiles& files, const RunHooks& hooks = {});

}  // namespace edgewise::train
