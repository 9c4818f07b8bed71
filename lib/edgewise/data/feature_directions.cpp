#include "edgewise/data/feature_directions.hpp"

#include <algorithm>
#include <cmath>

#include "edgewise/data/detail/thin_matrices.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

void bring_to_length_1(Matrix& rows) {
  for (Index row = 0; row < rows.rows(); ++row)
    if (const float length = rows.row(row).norm(); length > 0) rows.row(row) /= length;
}

Matrix standardised(const Matrix& columns) {
  Matrix rows = columns;
  for (Index column = 0; column < rows.cols(); ++column) {
    const double count = std::max<double>(1, static_cast<double>(rows.rows()));
    const double mean = rows.col(column).cast<double>().sum() / count;
    const double variance = (rows.col(column).cast<double>().array() - mean).square().sum() / count;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    rows.col(column) = ((rows.col(column).cast<double>().array() - mean) * scale).cast<float>();
  }
  return rows;
}

/// Rare columns weigh more; rows of length 1.
SparseMatrix weighed(const SparseMatrix& features) {
  SparseMatrix rows = features;
  const Eigen::VectorXf weights = column_weights(features);
  for (Index row = 0; row < rows.rows(); ++row) {
    double squares = 0;
    for (SparseMatrix::InnerIterator entry(rows, row); entry; ++entry) {
      entry.valueRef() *= weights[entry.col()];
      squares += static_cast<double>(entry.value()) * static_cast<double>(entry.value());
    }
    const auto length = static_cast<float>(std::sqrt(squares));
    for (SparseMatrix::InnerIterator entry(rows, row); entry && length > 0; ++entry) entry.valueRef() /= length;
  }
  return rows;
}

/// The rows in the directions of the largest singular values: their products are those of x, but for what is left out.
Matrix strongest_directions(const SparseMatrix& x, Index width) {
  const SparseMatrix across = x.transpose();
  const Matrix q = detail::strongest_space(x, across, width);
  const Eigen::MatrixXd l = detail::triangle_of(detail::gram(detail::product(across, q)));  // of q' x x' q
  return q * l.cast<float>();
}

}  // namespace

Eigen::VectorXf column_weights(const SparseMatrix& features) {
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(features.cols());
  for (Index row = 0; row < features.rows(); ++row)
    for (SparseMatrix::InnerIterator entry(features, row); entry; ++entry) counts[entry.col()] += 1;
  const auto nodes = static_cast<double>(features.rows());
  return ((1 + nodes) / (1 + counts.array())).log().cast<float>();
}

Matrix feature_directions(const Features& features, Index width) {
  const auto columns = static_cast<Index>(features.columns());
  Matrix rows;
  if (!features.is_sparse)
    rows = standardised(features.dense);
  else if (columns <= width)
    rows = Matrix(weighed(features.sparse));
  else
    rows = strongest_directions(weighed(features.sparse), std::min<Index>(width, static_cast<Index>(features.rows())));
  bring_to_length_1(rows);
  return rows;
}

}  // namespace edgewise::data
