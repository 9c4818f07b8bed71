#pragma once

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Normalises each row to mean 0 and variance 1, then applies gain and bias (Ba et al. 2016):
///   y = (x - mean) / sqrt(variance + epsilon) * gain + bias,
/// x [N, C], gain and bias [1, C], variance with 1/C. A constant row becomes the bias.
Variable layer_norm(Variable x, Variable gain, Variable bias, float epsilon = 1e-5F);

}  // namespace edgewise::autograd
