#pragma once

#include <utility>

#include "edgewise/data/node_data.hpp"

namespace edgewise::test {

inline data::Features dense_features(Matrix rows) {
  data::Features features;
  features.dense = std::move(rows);
  return features;
}

inline data::Features sparse_features(const Matrix& rows) {
  data::Features features;
  features.sparse = rows.sparseView();
  features.is_sparse = true;
  return features;
}

}  // namespace edgewise::test
