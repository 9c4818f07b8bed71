#pragma once

#include <vector>

#include "edgewise/train/jobs/job_data.hpp"
#include "edgewise/train/jobs/run.hpp"

/// @file
/// The mean of what models of several kinds say.
namespace edgewise::train {

/// One run out of runs on one split, each with its model: predictions are the mean over the runs, with the spread
/// between them, and the metrics are of the mean; epochs, seconds and parameters are summed, and no epoch is the
/// best. The first run leads: all else is its own. Of one run it is that run.
Run average(std::vector<Run> runs, const JobData& data);

}  // namespace edgewise::train
