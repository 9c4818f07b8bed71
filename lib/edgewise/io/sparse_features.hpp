#pragma once

#include <cstdint>
#include <string>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"

namespace edgewise::io {

struct SparseFeaturesOptions {
  /// The nodes that exist: the rows of the matrix are theirs, a node without features has an empty row, and any other
  /// node is an error. It must outlive the call.
  const graph::NodeNames* known_nodes = nullptr;
  /// Columns of the matrix; 0 means as many as the file says or needs. A feature beyond is an error.
  std::uint32_t features = 0;
};

struct SparseFeatures {
  graph::NodeNames names;  ///< The known ones; else "0" ... "N - 1" where the file says nodes=N; else as they appear.
  SparseMatrix matrix;     ///< [nodes, features], columns ascending in each row.
};

/// The largest number of features that is believed (2^24): a model's first layer has a row for each.
inline constexpr std::uint32_t kMostFeatures = std::uint32_t{1} << 24;

/// Reads `node,feature,value` (features counted from 0, absent ones are 0) from delimited text, plain or gzip. The
/// columns are found by these names, or else are the first three; without a third the values are 1. A comment
/// "# nodes=N features=F nnz=Z" in front is honoured and checked.
/// Throws DataError with file and line for unknown nodes, features that are no integer or out of range, values that are
/// no finite number, the same node and feature twice, and counts that differ from the comment.
SparseFeatures read_sparse_features(const std::string& path, const SparseFeaturesOptions& options = {});

/// Reads {"node": [feature, ...], ...} as the MUSAE data sets have it, plain or gzip, streaming. A feature that a node
/// repeats counts once; the values are 1. Throws DataError with line and column (offset in bytes) for what is not that.
SparseFeatures read_feature_lists(const std::string& path, const SparseFeaturesOptions& options = {});

}  // namespace edgewise::io
