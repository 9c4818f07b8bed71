#pragma once

#include <cstdint>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Runs one job: makes the split, fits the features to the training items, and builds and trains the model (or the
/// models of an ensemble). Run `run` has the seed `config.training.seed + run`. The presets include baselines
/// (baselines.hpp) and "auto", which trains several models and keeps the best (choose.hpp). Throws UsageError for a
/// model whose parameters or node pairs do not fit in memory; otherwise throws as `fit`, `make_split` and nn::Model do.
Run run_job(const Config& config, const Dataset& data, std::int64_t run, const JobHooks& hooks = {});

}  // namespace edgewise::train
