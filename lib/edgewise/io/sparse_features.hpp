#pragma once

#include <cstdint>
#include <string>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"

namespace edgewise::io {

struct SparseFeaturesOptions {
  /// The existing nodes, which are the rows of the matrix. A node without features gets an empty row; any other node is
  /// an error. Must outlive the call.
  const graph::NodeNames* known_nodes = nullptr;
  /// Number of columns; 0 means as many as the file declares or needs. A feature beyond this is an error.
  std::uint32_t features = 0;
};

struct SparseFeatures {
  graph::NodeNames names;  ///< The known ones, "0" ... "N - 1" if the file says nodes=N, else in order of appearance.
  SparseMatrix matrix;     ///< [nodes, features], columns ascending in each row.
};

/// Maximum accepted number of features (2^24): a model's first layer has a row for each.
inline constexpr std::uint32_t kMaxFeatures = std::uint32_t{1} << 24;

/// Reads `node,feature,value` (features counted from 0, absent ones are 0) from delimited text, plain or gzip. Columns
/// are found by these names; otherwise the first three are used. Without a third column all values are 1. A leading
/// comment "# nodes=N features=F nnz=Z" is honoured and checked. Throws DataError with file and line for unknown nodes,
/// features that are not integers or out of range, values that are not finite numbers, a repeated node and feature, and
/// counts that contradict the comment.
SparseFeatures read_sparse_features(const std::string& path, const SparseFeaturesOptions& options = {});

/// Streams {"node": [feature, ...], ...} as in the MUSAE data sets, plain or gzip. A feature repeated for a node counts
/// once; all values are 1. Throws DataError with line and column (offset in bytes) for anything else.
SparseFeatures read_feature_lists(const std::string& path, const SparseFeaturesOptions& options = {});

}  // namespace edgewise::io
