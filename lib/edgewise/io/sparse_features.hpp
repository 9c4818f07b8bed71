#pragma once

#include <cstdint>

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

}  // namespace edgewise::io
