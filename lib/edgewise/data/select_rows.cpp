#include "edgewise/data/select_rows.hpp"

#include "edgewise/core/check.hpp"

namespace edgewise::data {

SparseMatrix select_rows(const SparseMatrix& matrix, std::span<const graph::Node> rows) {
  check_indices("select_rows", "rows", rows, static_cast<std::size_t>(matrix.rows()));
  SparseMatrix selected(static_cast<Eigen::Index>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    selected.startVec(static_cast<Eigen::Index>(i));
    for (SparseMatrix::InnerIterator entry(matrix, rows[i]); entry; ++entry)
      selected.insertBack(static_cast<Eigen::Index>(i), entry.col()) = entry.value();
  }
  selected.finalize();
  return selected;
}

Features select_rows(const Features& features, std::span<const graph::Node> rows) {
  check_indices("select_rows", "rows", rows, features.rows());
  Features selected;
  selected.is_sparse = features.is_sparse;
  selected.names = features.names;
  if (features.is_sparse)
    selected.sparse = select_rows(features.sparse, rows);
  else
    selected.dense = features.dense(rows, Eigen::all);
  return selected;
}

}  // namespace edgewise::data
