#pragma once

#include "edgewise/autograd/tape.hpp"

/// @file
/// Operations on rows that hold H heads of width D side by side: [N, H*D].
namespace edgewise::autograd {

/// y[n, h] = sum over d of x[n, h*D + d] * vector[h*D + d]: x [N, H*D], vector [1, H*D], result [N, H].
/// The two halves of GAT's score (Velickovic et al. 2018).
Variable head_dot(Variable x, Variable vector, int heads);

/// y[n, d] = mean over h of x[n, h*D + d]: x [N, H*D], result [N, D].
Variable mean_over_heads(Variable x, int heads);

}  // namespace edgewise::autograd
