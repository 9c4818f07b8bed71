#include "edgewise/core/sparse_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"

namespace edgewise {

namespace {

void check_entries(Eigen::Index count) {
  constexpr Eigen::Index kMaxEntries = std::numeric_limits<SparseMatrix::StorageIndex>::max();
  if (count > kMaxEntries)
    throw UsageError(fmt::format("a sparse matrix of {} entries: at most {} can be kept", count, kMaxEntries));
}

}  // namespace

SparseMatrix with_all_entries(const Matrix& dense) {
  check_entries(dense.size());
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
  check_entries(left.nonZeros() + right.nonZeros());
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
