#pragma once

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// When the passes of a training step must agree: see train::Consistency.
namespace edgewise::train {

/// Throws UsageError if `options` ask for passes that agree, although the data or their `label_input` does not allow
/// it.
void check_consistency(const TrainOptions& options, const Dataset& data);

/// Sets the number of passes if it is "auto": consistency is part of the training of GRAND, where it is allowed. Other
/// models train without it unless told to. Throws as `check_consistency` does; `label_input` must not be "auto".
void resolve_consistency(const Config& config, const Dataset& data, TrainOptions& options);

}  // namespace edgewise::train
