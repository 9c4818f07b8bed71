#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/run/choice.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// What is kept of every run of a job. The best is kept whole (Run).
struct RunResult {
  Report report;  ///< Without its scaler if read from a checkpoint.
  data::Split split;
  std::string split_mark;  ///< Result of `fingerprint_of`; this and the metrics of targets are set by RunSet.
  std::vector<TargetMetrics> validation_targets;  ///< Set if there are several.
  std::vector<TargetMetrics> test_targets;
  std::optional<Choice> choice;  ///< Set if the model was chosen among several.
  std::size_t parameters = 0;
  std::size_t inputs = 0;  ///< Feature columns.
  std::string order;       ///< Internal node order: none, degree, cuthill_mckee, clustering.
};

/// {"metric": ..., "candidates": [...], "chosen": ..., "reason": ...}
json::Value to_json(const Choice& choice);
/// Throws UsageError for what is no choice by this metric.
Choice choice_from_json(const json::Value& value, const std::string& metric);

/// The result without its split, which follows from the job.
json::Value to_json(const RunResult& result);

/// What the runs of a job are measured by.
struct JobMetrics {
  std::string metric;                ///< For early stopping and choices.
  std::vector<std::string> names;    ///< All metrics of the task.
  std::vector<std::string> targets;  ///< Names of the labels.
};

/// Throws UsageError for what no run of the job leaves: missing members, other metrics or targets, metrics out of
/// range, numbers of epochs or parameters below 0.
RunResult run_result_from_json(const json::Value& value, const JobMetrics& job);

}  // namespace edgewise::train
