#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <span>

#include "edgewise/data/node_data.hpp"

/// @file
/// Feature rows as used by linear models: scaled, in double.
namespace edgewise::train::detail {

/// Column shift and scale, fitted to the training rows: (x - centre) * scale.
struct Scaling {
  Eigen::VectorXd centre, scale;
};

/// Fitted to `rows`; without `standardise` only the centre is. Constant columns keep scale 1.
Scaling fit_scaling(const data::Features& features, std::span<const graph::Node> rows, bool standardise);

/// Scaled feature rows. For sparse features the centre is kept separate and its contribution is added to each product,
/// so nothing becomes dense.
class Design {
 public:
  Design(const data::Features& features, std::span<const graph::Node> rows, const Scaling& scaling);

  Eigen::Index rows() const { return rows_; }
  Eigen::Index columns() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }

  /// X w; [rows, outputs].
  Eigen::MatrixXd times(const Eigen::MatrixXd& weights) const;
  /// X^T r; [columns, outputs].
  Eigen::MatrixXd transpose_times(const Eigen::MatrixXd& residuals) const;
  /// X^T X; [columns, columns].
  Eigen::MatrixXd gram() const;
  /// X X^T; [rows, rows].
  Eigen::MatrixXd kernel() const;

 private:
  bool is_sparse_;
  Eigen::Index rows_;
  Eigen::MatrixXd dense_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> sparse_;
  Eigen::VectorXd centre_;
};

/// X w + b; `stacked_weights` are w over b, [columns + 1, outputs].
Eigen::MatrixXd outputs_of(const Design& design, const Eigen::MatrixXd& stacked_weights);

}  // namespace edgewise::train::detail
