#pragma once

#include <Eigen/Core>

#include "edgewise/core/matrix.hpp"

/// @file
/// Products and factors of matrices with many rows and few columns. The same bits at any number of threads.
namespace edgewise::data::detail {

/// x y.
Matrix product(const SparseMatrix& x, const Matrix& y);

/// x' x in double, summed over fixed pieces of the rows in order.
Eigen::MatrixXd gram(const Matrix& x);

/// The lower triangle L of a = L L' (Cholesky); a column that depends on those before it becomes 0.
Eigen::MatrixXd triangle_of(const Eigen::MatrixXd& a);

/// Columns at right angles to each other, of length 1 or 0, that span those of x: x L'^-1.
Matrix orthonormal(const Matrix& x);

/// Orthonormal columns that nearly span the left singular vectors of the largest singular values of `x`, by random
/// projection and three power iterations (Halko, Martinsson, Tropp 2011, algorithm 4.4). `across` is its transpose.
Matrix strongest_space(const SparseMatrix& x, const SparseMatrix& across, Eigen::Index width);

}  // namespace edgewise::data::detail
