#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/duplicate_edges.hpp"

namespace edgewise::io {

/// Categories by column name.
using Categories = std::map<std::string, std::vector<std::string>>;

/// How the columns requested as edge features were used.
struct EdgeFeatureReport {
  Categories categories;                 ///< Of the text columns.
  std::uint64_t unknown_categories = 0;  ///< Values that match none of the given categories.
  std::vector<Eigen::Index> numbers;     ///< Numeric columns of `graph::EdgeList::features`.
  std::vector<graph::FeatureColumns> columns;  ///< Of each feature.
};

}  // namespace edgewise::io
