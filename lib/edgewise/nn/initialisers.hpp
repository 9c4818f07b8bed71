#pragma once

#include <cstdint>
#include <string>

#include "edgewise/nn/block.hpp"

/// @file
/// Initial values of parameters. Each parameter has its own random stream, keyed by the seed and by how many were drawn
/// before it, so that adding a parameter to one block does not change those before it. All throw UsageError for sizes
/// that are negative or not an int, and ModelError for more elements than BuildContext::budget.
namespace edgewise::nn {

/// Uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010), [rows, cols], named "<block>.<name>".
autograd::Parameter glorot(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols,
                           std::int64_t fan_in, std::int64_t fan_out);

/// As above for a map from `rows` to `cols`.
autograd::Parameter glorot(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols);

/// All elements equal, for biases (0) and gains (1).
autograd::Parameter constant(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols,
                             float value);

}  // namespace edgewise::nn
