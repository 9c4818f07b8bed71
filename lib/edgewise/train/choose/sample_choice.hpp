#pragma once

#include <vector>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// If no network that follows edges would end an epoch over all of them in the seconds of the job, sets `config` to
/// train on samples of neighbours, leaves out the networks that cannot be, and says so in one line. Nothing happens
/// without a deadline, for many graphs, or if the configuration says how to sample. What an epoch takes is counted from
/// the shapes, not measured, so that the same job does the same on every machine.
void sample_if_too_large(const Dataset& data, const JobHooks& hooks, Config& config,
                         std::vector<ModelConfig>& networks);

}  // namespace edgewise::train
