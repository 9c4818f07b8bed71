#pragma once

#include "edgewise/train/job.hpp"

namespace edgewise::train {

/// Metrics of `predictions` on each part of the split.
void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report);

/// One of the presets of `is_baseline` on one split. Throws UsageError when it is not for this data.
Run run_baseline(const Config& config, const JobData& data, data::Split split);

}  // namespace edgewise::train
