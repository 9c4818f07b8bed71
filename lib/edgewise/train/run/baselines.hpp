#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/train/run/run.hpp"

namespace edgewise::train {

/// Members of "training" among those in `given` that have no effect on any baseline.
std::vector<std::string> unused_by_baselines(const json::Value& given);

/// Runs a preset of `is_baseline` on the split of run `run`. Of the hooks only `should_stop` is used, while trees grow.
/// Throws UsageError if the preset does not suit this data.
Run run_baseline(const Config& config, const Dataset& data, data::Split split, std::int64_t run,
                 const FitHooks& hooks = {});

}  // namespace edgewise::train
