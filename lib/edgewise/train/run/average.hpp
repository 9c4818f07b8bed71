#pragma once

#include <vector>

#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The mean prediction of different kinds of models.
namespace edgewise::train {

/// Combines runs on one split, each with its model. Predictions are the mean over the runs, with the spread between
/// them, and the metrics are those of the mean. Epochs, seconds and parameters are summed; there is no best epoch.
/// Everything else comes from the first run. A single run is returned unchanged.
Run average(std::vector<Run> runs, const Dataset& data);

}  // namespace edgewise::train
