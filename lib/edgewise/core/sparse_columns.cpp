#include "edgewise/core/sparse_columns.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace edgewise {

SparseMatrix with_all_entries(const Matrix& dense) {
  SparseMatrix sparse(dense.rows(), dense.cols());
  sparse.resizeNonZeros(dense.size());
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    std::int32_t* columns = sparse.innerIndexPtr() + row * dense.cols();
    std::iota(columns, columns + dense.cols(), 0);
    sparse.outerIndexPtr()[row + 1] = static_cast<std::int32_t>((row + 1) * dense.cols());
  }
  std::copy_n(dense.data(), dense.size(), sparse.valuePtr());
  return sparse;
}

SparseMatrix side_by_side(const SparseMatrix& left, const SparseMatrix& right) {
  assert(left.rows() == right.rows());
  SparseMatrix both(left.rows(), left.cols() + right.cols());
  both.reserve(left.nonZeros() + right.nonZeros());
  for (Eigen::Index row = 0; row < both.rows(); ++row) {
    both.startVec(row);
    for (SparseMatrix::InnerIterator entry(left, row); entry; ++entry)
      both.insertBack(row, entry.col()) = entry.value();
    for (SparseMatrix::InnerIterator entry(right, row); entry; ++entry)
      both.insertBack(row, left.cols() + entry.col()) = entry.value();
  }
  both.finalize();
  return both;
}

}  // namespace edgewise
