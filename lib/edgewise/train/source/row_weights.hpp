#pragma once

#include <vector>

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// How much each item counts: the column DataConfig::row_weight, 0 for items without a label and a weight; empty if no
/// column is named. Throws DataError with file and line for a labelled item with no number, or one below 0, UsageError
/// if there is no table, the column is a label, or no labelled item counts.
std::vector<float> read_row_weights(const Dataset& data);

}  // namespace edgewise::train
