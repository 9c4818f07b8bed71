#include "edgewise/train/explain/neutral_features.hpp"

namespace edgewise::train {

Matrix neutral_row(const FeatureMap& map, const Dataset& data, Eigen::Index columns) {
  Matrix neutral = Matrix::Zero(1, columns);
  const data::Features& all = data.features;
  if (!data.graphs && map.kind() == FeatureMap::Kind::ready && !all.is_sparse && all.dense.rows() > 0)
    neutral.leftCols(all.dense.cols()) = all.dense.colwise().mean();
  return neutral;
}

bool are_neutral(const data::Features& features, Eigen::Index row, const FeatureColumns& columns,
                 const Matrix& neutral) {
  if (!features.is_sparse)
    return features.dense.row(row).segment(columns.first, columns.count) ==
           neutral.row(0).segment(columns.first, columns.count);
  for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry)
    if (entry.col() >= columns.first && entry.col() < columns.first + columns.count && entry.value() != 0) return false;
  return true;
}

void make_neutral(Eigen::Index row, const FeatureColumns& columns, const Matrix& neutral, data::Features& features) {
  if (!features.is_sparse) {
    features.dense.row(row).segment(columns.first, columns.count) =
        neutral.row(0).segment(columns.first, columns.count);
    return;
  }
  for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry)
    if (entry.col() >= columns.first && entry.col() < columns.first + columns.count) entry.valueRef() = 0;
}

}  // namespace edgewise::train
