#pragma once

#include "edgewise/autograd/tape.hpp"

/// @file
/// Element-wise functions of any shape. NaN stays NaN.
namespace edgewise::autograd {

/// max(x, 0). The derivative at 0 is 0.
Variable relu(Variable x);

/// x above 0, negative_slope * x below. The derivative at 0 is negative_slope.
Variable leaky_relu(Variable x, float negative_slope = 0.2F);

/// x above 0, exp(x) - 1 below (Clevert et al. 2016).
Variable elu(Variable x);

/// x * P(standard normal < x), with the error function (Hendrycks and Gimpel 2016).
Variable gelu(Variable x);

/// 1 / (1 + exp(-x)).
Variable sigmoid(Variable x);

Variable tanh(Variable x);

}  // namespace edgewise::autograd
