#include "edgewise/data/select_rows.hpp"

namespace edgewise::data {

Features select_rows(const Features& features, std::span<const graph::Node> rows) {
  Features selected;
  selected.is_sparse = features.is_sparse;
  selected.names = features.names;
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (!features.is_sparse) {
    selected.dense.resize(count, features.dense.cols());
    for (Eigen::Index i = 0; i < count; ++i)
      selected.dense.row(i) = features.dense.row(rows[static_cast<std::size_t>(i)]);
    return selected;
  }
  selected.sparse.resize(count, features.sparse.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    selected.sparse.startVec(i);
    for (SparseMatrix::InnerIterator entry(features.sparse, rows[static_cast<std::size_t>(i)]); entry; ++entry)
      selected.sparse.insertBack(i, entry.col()) = entry.value();
  }
  selected.sparse.finalize();
  return selected;
}

}  // namespace edgewise::data
