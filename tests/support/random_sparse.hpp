#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::test {

/// Entries uniform in [-1, 1), with about this density. The first row is empty.
inline SparseMatrix random_sparse(Eigen::Index rows, Eigen::Index cols, double density) {
  Random random(3, Stream::generate);
  SparseMatrix sparse(rows, cols);
  for (Eigen::Index r = 1; r < rows; ++r)
    for (Eigen::Index c = 0; c < cols; ++c)
      if (random.uniform() < density) sparse.insert(r, c) = static_cast<float>(random.uniform(-1, 1));
  sparse.makeCompressed();
  return sparse;
}

}  // namespace edgewise::test
