#pragma once

#include <string>

#include "edgewise/io/sparse_features.hpp"

namespace edgewise::io {

/// Streams {"node": [feature, ...], ...} as in the MUSAE data sets, plain or gzip. A feature repeated for a node counts
/// once; all values are 1. Throws DataError with line and column (offset in bytes) for anything else.
SparseFeatures read_feature_lists(const std::string& path, const SparseFeaturesOptions& options = {});

}  // namespace edgewise::io
