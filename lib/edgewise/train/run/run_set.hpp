#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/run/run_result.hpp"

/// @file
/// The runs of one job: the results of all finished runs, and the best run. A checkpoint stores both, so an interrupted
/// set of runs continues without retraining any.
namespace edgewise::train {

/// A fingerprint of all data read: names, features, edges and labels.
std::string fingerprint_of(const Dataset& data);

/// The member of a checkpoint's note that holds the state of a choice, which keeps its own account of its models.
inline constexpr const char* kChoiceMember = "choice";

class RunSet {
 public:
  /// Returns whether the run is the best so far by the validation metric (the first wins a tie).
  bool add(const Dataset& data, Run&& run);

  bool empty() const { return results_.empty(); }
  std::size_t size() const { return results_.size(); }
  const std::vector<RunResult>& results() const { return results_; }
  /// Requires at least one run.
  Run& best() { return *best_; }
  std::size_t best_index() const { return best_index_; }
  const Run& best() const { return *best_; }

  /// {"config": ..., "data_mark": ..., "runs": [...], "best": {...}}; the tensors are the predictions and the model of
  /// the best run.
  CheckpointNote to_note(const Config& config, const Dataset& data);

  /// The runs in a note of the checkpoint `path`; none if the note has no runs. Throws ModelError if it is damaged or
  /// belongs to another job: a different configuration (ignoring the number of runs) or different data.
  static RunSet from_note(const std::string& path, const CheckpointNote& note, const Config& config,
                          const Dataset& data);

 private:
  /// `runs`: how many there will be in all.
  void restore_best(const std::string& path, const CheckpointNote& note, const Dataset& data, std::int64_t runs);

  std::vector<RunResult> results_;
  std::size_t best_index_ = 0;
  std::optional<Run> best_;
};

}  // namespace edgewise::train
