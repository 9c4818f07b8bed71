#include "edgewise/data/append_columns.hpp"

#include "edgewise/core/sparse_columns.hpp"

namespace edgewise::data {

void append_columns(const Matrix& added, Features& to) {
  if (added.cols() == 0) return;
  if (!to.is_sparse) return append_columns(added, to.dense);
  to.sparse = side_by_side(to.sparse, added.sparseView());
}

void append_columns(const Matrix& added, Matrix& to) {
  to.conservativeResize(Eigen::NoChange, to.cols() + added.cols());
  to.rightCols(added.cols()) = added;
}

}  // namespace edgewise::data
