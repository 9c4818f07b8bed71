#pragma once

#include <string>
#include <vector>

#include "edgewise/train/config/split_config.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Columns of the node table that are not features: labels, those of `split`, any called "split",
/// ignored ones, those that mark bounds of labels, and those that position a node. Throws DataError if one that is
/// named does not exist.
std::vector<std::string> excluded_columns(const Dataset& data, const SplitConfig& split);

}  // namespace edgewise::train
