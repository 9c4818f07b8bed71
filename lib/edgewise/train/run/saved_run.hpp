#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/run/run_result.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The predictions and the model of a run in a checkpoint.
namespace edgewise::train {

/// Adds the predictions, the deviations and the model of a run to the tensors of `note`, with names that begin with
/// `prefix`, and what belongs to the model to `saved`.
void save_run(const std::string& prefix, Run& run, json::Value& saved, CheckpointNote& note);

/// Restores what `save_run` saved. `path` is for messages. Throws ModelError if it is damaged or does not suit the
/// data.
void restore_run(const std::string& path, const std::string& prefix, const json::Value& saved,
                 const CheckpointNote& note, const Dataset& data, Run& run);

/// What the runs of the job are measured by.
JobMetrics job_metrics(const Config& config, const Dataset& data);

}  // namespace edgewise::train
