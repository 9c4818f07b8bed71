#pragma once

#include "edgewise/autograd/tape.hpp"

/// @file
/// Operations on rows that hold H heads of width D side by side: [N, H*D].
namespace edgewise::autograd {

/// y[n, d] = mean over h of x[n, h*D + d]: x [N, H*D], result [N, D].
Variable mean_over_heads(Variable x, int heads);

}  // namespace edgewise::autograd
