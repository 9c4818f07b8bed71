#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/jobs/run.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/metrics.hpp"

/// @file
/// The runs of one job: what is known of each that has ended, and the best of them. A checkpoint keeps both, so that an
/// interrupted set of runs goes on without training any of them again.
namespace edgewise::train {

/// What is kept of a run that has ended.
struct RunResult {
  Report report;  ///< Without its scaler when it comes from a checkpoint.
  data::Split split;
  std::string split_mark;  ///< Of `mark_of`.
  std::vector<TargetMetrics> validation_targets;  ///< Where there are several.
  std::vector<TargetMetrics> test_targets;
  std::optional<Choice> choice;
  std::size_t parameters = 0;
  std::size_t inputs = 0;
  std::string order;
};

/// A mark of all that was read: names, features, edges and labels.
std::string mark_of(const JobData& data);

class RunSet {
 public:
  /// Returns whether the run is the best so far by the validation metric (of equals the first is).
  bool add(const JobData& data, Run&& run);

  bool empty() const { return results_.empty(); }
  std::size_t size() const { return results_.size(); }
  const std::vector<RunResult>& results() const { return results_; }
  /// There must be one.
  Run& best() { return *best_; }
  const Run& best() const { return *best_; }

  /// {"config": ..., "data_mark": ..., "runs": [...], "best": {...}}; the predictions and the model of the best run are
  /// its tensors.
  CheckpointNote to_note(const Config& config, const JobData& data);

  /// The runs of a note of the checkpoint `path`. A note without runs gives none. Throws ModelError when it is damaged
  /// or has runs of another job: another configuration (but for their number) or other data.
  static RunSet from_note(const std::string& path, const CheckpointNote& note, const Config& config,
                          const JobData& data);

 private:
  void restore_best(const std::string& path, const CheckpointNote& note, const JobData& data);

  std::vector<RunResult> results_;
  std::size_t best_index_ = 0;
  std::optional<Run> best_;
};

}  // namespace edgewise::train
