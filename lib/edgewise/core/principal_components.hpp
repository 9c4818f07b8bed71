#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise {

/// The rows of X along the `count` directions in which they vary most: [rows, count], the columns with zero mean and
/// descending variance. By subspace iteration from a fixed start (Halko, Martinsson and Tropp 2011, algorithm 4.4), in
/// double and on one thread, so that the same rows give the same bits. Of each direction the largest entry is positive.
/// Directions without variance, such as those beyond the rank of X, give 0. All numbers must be finite.
/// O(rows * columns * count).
Matrix principal_components(ConstMatrixRef rows, Eigen::Index count);

}  // namespace edgewise
