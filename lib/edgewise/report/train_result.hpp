#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/train_runs.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The result of `edgewise train`, as JSON and as text.
namespace edgewise::report {

inline constexpr const char* kTrainSchema = "edgewise.train/1";

/// Models in an ensemble, the fewest if several kinds of models are averaged; nothing if there are only baselines.
std::optional<std::int64_t> ensemble_size(const train::Run& run);

/// The result of at least one run.
json::Value train_result(const train::Config& config, const train::Dataset& data, const train::TrainedRuns& runs);

/// A summary of `result`, which is that of `train_result`.
std::string train_text(const train::Dataset& data, const train::TrainedRuns& runs, const json::Value& result);

}  // namespace edgewise::report
