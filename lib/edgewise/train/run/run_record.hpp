#pragma once

#include <cstdint>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What is measured and recorded of a run.
namespace edgewise::train {

/// Computes the metrics of `predictions` on each part of the split; `report.scaler` provides the deviations of targets.
void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report);

/// The record of how a model was trained, for TrainedModel::training. `effective` are the options it was actually
/// trained with.
TrainingRecord training_record(const Config& config, const TrainOptions& effective, const Dataset& data,
                            std::int64_t index, const Run& run);

/// Measures predictions that have changed, and records it in the model that makes them, if there is one.
void measure_again(const data::Labels& labels, Run& run);

}  // namespace edgewise::train
