#pragma once

#include "edgewise/train/run/run.hpp"

namespace edgewise::train {

/// Throws UsageError unless `config` asks for a model that writes, and for nothing that pairs do not have.
void check_pairs_job(const Config& config);

/// Trains a model to write the targets of the training pairs, and measures what it writes for the others. Throws as
/// `fit` does, and as PairMap.
Run run_pairs(const Config& config, const Dataset& data, data::Split split, std::int64_t index, const FitHooks& hooks);

}  // namespace edgewise::train
