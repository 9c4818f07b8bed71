#pragma once

#include <cstdint>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// One run of a named model, a network or a baseline.
namespace edgewise::train {

/// Makes the split, fits the features to the training items, and builds and trains the model (or the models of an
/// ensemble). Run `run` has the seed `config.training.seed + run`. Throws UsageError for a model whose parameters or
/// node pairs do not fit in memory, and as `check_model` does; otherwise as `fit`, `make_split` and nn::Model do.
Run run_model(const Config& config, const Dataset& data, std::int64_t run, const JobHooks& hooks = {});

/// Throws UsageError for an automatic choice or a baseline if a single network is required, and as `check_steps` does.
void check_model(const Config& config, const Dataset& data);

/// Throws UsageError for steps of training that the configuration requires but the data does not allow.
void check_steps(const Config& config, const Dataset& data);

}  // namespace edgewise::train
