#pragma once

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"

/// @file
/// The first rows of a matrix, as a sample of a graph needs them: its destinations are the first of its sources.
namespace edgewise::autograd {

/// The first `rows` rows of x [N, C], without a copy; x itself if it has no more. Throws UsageError if it has fewer.
Variable leading_rows(Variable x, Eigen::Index rows);
/// As above; of rows of a table that are not copied yet, such rows.
DenseRows leading_rows(const DenseRows& x, Eigen::Index rows);

/// As above, under the same dropout. The cost is that of the non-zeros of these rows.
SparseFeatures leading_rows(Tape& tape, const SparseFeatures& x, Eigen::Index rows);

}  // namespace edgewise::autograd
