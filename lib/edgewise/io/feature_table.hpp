#pragma once

#include <string>

#include "edgewise/io/sparse_features.hpp"

namespace edgewise::io {

/// Reads `node,feature,value` (features counted from 0, absent ones are 0) from delimited text, plain or gzip. Columns
/// are found by these names; otherwise the first three are used. Without a third column all values are 1. A leading
/// comment "# nodes=N features=F nnz=Z" is honoured and checked. Throws DataError with file and line for unknown nodes,
/// features that are not integers or out of range, values that are not finite numbers, a repeated node and feature, and
/// counts that contradict the comment.
SparseFeatures read_sparse_features(const std::string& path, const SparseFeaturesOptions& options = {});

}  // namespace edgewise::io
