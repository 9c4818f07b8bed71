#pragma once

#include <span>

#include "edgewise/autograd/tape.hpp"

/// @file
/// Concatenates and slices columns.
namespace edgewise::autograd {

/// [x_1 | x_2 | ...]: parts [N, C_i], result [N, sum of C_i]. One part or more.
Variable concat_columns(std::span<const Variable> parts);

/// The columns begin ... begin + count - 1 of x, as a copy: [N, count].
Variable slice_columns(Variable x, Eigen::Index begin, Eigen::Index count);

}  // namespace edgewise::autograd
