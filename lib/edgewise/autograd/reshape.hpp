#pragma once

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The elements of x, row by row, as a matrix of another shape: a copy. Throws UsageError unless it has as many
/// elements.
Variable reshape(Variable x, Eigen::Index rows, Eigen::Index columns);

}  // namespace edgewise::autograd
