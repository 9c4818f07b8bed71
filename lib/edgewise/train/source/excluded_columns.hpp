#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Columns of the node table that are not features: labels, splits (`split_column`, and any called "split"),
/// ignored ones, and those that position a node. Throws DataError if one that is named does not exist.
std::vector<std::string> excluded_columns(const JobData& data, const std::string& split_column);

}  // namespace edgewise::train
