#pragma once

#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::train {

/// Leaves the largest connected part of the graph of a node-level job (of equals the first), with its rows of the
/// table, the features, the labels and the splits; a note says how many nodes are gone.
void keep_largest_component(JobData& data);

}  // namespace edgewise::train
