#pragma once

#include <string>

#include "edgewise/nn/block.hpp"

/// @file
/// Initial values of parameters. Each parameter has its own random stream, keyed by the seed and by how many were drawn
/// before it, so that adding a parameter to one block does not change those before it.
namespace edgewise::nn {

/// Uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010), [rows, cols], named "<block>.<name>".
autograd::Parameter glorot(BuildContext& context, const std::string& name, int rows, int cols, int fan_in,
                           int fan_out);

/// As above for a map from `rows` to `cols`.
autograd::Parameter glorot(BuildContext& context, const std::string& name, int rows, int cols);

/// All elements equal, for biases (0) and gains (1).
autograd::Parameter constant(BuildContext& context, const std::string& name, int rows, int cols, float value);

}  // namespace edgewise::nn
