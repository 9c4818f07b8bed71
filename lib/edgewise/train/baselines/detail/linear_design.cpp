#include "edgewise/train/baselines/detail/linear_design.hpp"

#include <algorithm>
#include <cmath>

namespace edgewise::train::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using graph::Node;

/// Column sums and sums of squares over some rows.
struct ColumnSums {
  VectorXd sums, squares;
};

ColumnSums column_sums(const data::Features& features, std::span<const Node> rows, const VectorXd& origin) {
  const auto columns = static_cast<Index>(features.columns());
  ColumnSums result{VectorXd::Zero(columns), VectorXd::Zero(columns)};
  for (const Node row : rows) {
    if (features.is_sparse) {
      for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry) {
        result.sums[entry.col()] += entry.value();
        result.squares[entry.col()] += static_cast<double>(entry.value()) * entry.value();
      }
    } else {
      const VectorXd values = features.dense.row(row).transpose().cast<double>() - origin;
      result.sums += values;
      result.squares += values.cwiseAbs2();
    }
  }
  return result;
}

}  // namespace

Scaling fit_scaling(const data::Features& features, std::span<const Node> rows, bool standardise) {
  const auto columns = static_cast<Index>(features.columns());
  const auto count = static_cast<double>(rows.size());
  Scaling scaling{VectorXd::Zero(columns), VectorXd::Ones(columns)};
  ColumnSums sums = column_sums(features, rows, scaling.centre);
  scaling.centre = sums.sums / count;
  if (!standardise) return scaling;
  // Squared deviations from the mean. Sparse columns use the difference of moments, which is exact enough for counts.
  VectorXd variance = sums.squares / count - scaling.centre.cwiseAbs2();
  if (!features.is_sparse) variance = column_sums(features, rows, scaling.centre).squares / count;
  for (Index column = 0; column < columns; ++column) {
    const double deviation = std::sqrt(std::max(variance[column], 0.0));
    if (deviation > 1e-7 * std::abs(scaling.centre[column]) && deviation > 0) scaling.scale[column] = 1 / deviation;
  }
  return scaling;
}

Design::Design(const data::Features& features, std::span<const Node> rows, const Scaling& scaling)
    : is_sparse_(features.is_sparse), rows_(static_cast<Index>(rows.size())) {
  if (is_sparse_) {
    sparse_.resize(rows_, features.sparse.cols());
    for (Index i = 0; i < rows_; ++i) {
      sparse_.startVec(i);
      for (SparseMatrix::InnerIterator entry(features.sparse, rows[static_cast<std::size_t>(i)]); entry; ++entry)
        sparse_.insertBack(i, entry.col()) = entry.value() * scaling.scale[entry.col()];
    }
    sparse_.finalize();
    centre_ = scaling.centre.cwiseProduct(scaling.scale);
  } else {
    dense_.resize(rows_, features.dense.cols());
    for (Index i = 0; i < rows_; ++i)
      dense_.row(i) =
          (features.dense.row(rows[static_cast<std::size_t>(i)]).cast<double>() - scaling.centre.transpose())
              .cwiseProduct(scaling.scale.transpose());
  }
}

MatrixXd Design::times(const MatrixXd& weights) const {
  if (!is_sparse_) return dense_ * weights;
  MatrixXd result = sparse_ * weights;
  result.rowwise() -= (centre_.transpose() * weights).eval().row(0);
  return result;
}

MatrixXd Design::transpose_times(const MatrixXd& residuals) const {
  if (!is_sparse_) return dense_.transpose() * residuals;
  MatrixXd result = sparse_.transpose() * residuals;
  result -= centre_ * residuals.colwise().sum();
  return result;
}

MatrixXd Design::gram() const {
  if (!is_sparse_) return dense_.transpose() * dense_;
  const MatrixXd product = MatrixXd(sparse_.transpose() * sparse_);
  const VectorXd sums = sparse_.transpose() * VectorXd::Ones(rows_);
  return product - centre_ * sums.transpose() - sums * centre_.transpose() +
         static_cast<double>(rows_) * centre_ * centre_.transpose();
}

MatrixXd Design::kernel() const {
  if (!is_sparse_) return dense_ * MatrixXd(dense_.transpose());
  const MatrixXd product = MatrixXd(sparse_ * decltype(sparse_)(sparse_.transpose()));
  const VectorXd along = sparse_ * centre_;
  const VectorXd ones = VectorXd::Ones(rows_);
  return product - along * ones.transpose() - ones * along.transpose() +
         MatrixXd::Constant(rows_, rows_, centre_.squaredNorm());
}

MatrixXd outputs_of(const Design& design, const MatrixXd& stacked_weights) {
  MatrixXd outputs = design.times(stacked_weights.topRows(design.columns()));
  outputs.rowwise() += stacked_weights.row(design.columns());
  return outputs;
}

}  // namespace edgewise::train::detail
