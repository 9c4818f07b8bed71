#pragma once

#include <cstdint>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Activations whose derivative follows from their value: max(x, 0), x or 0.2 x, and x or exp(x) - 1 below 0.
enum class Rectifier { none, relu, leaky_relu, elu };

/// As of `dropout`; with probability 0 there is none.
struct ElementDropout {
  float probability = 0;
  std::uint64_t key = 0;
};

/// dropout(f(x + bias)) in one pass each way: x [N, C], bias [1, C] or an unset Variable. The same as `add_row`, the
/// activation and `dropout` in turn, with the same mask, but only the result is kept.
Variable bias_activation(Variable x, Variable bias, Rectifier f, const ElementDropout& dropout = {});

}  // namespace edgewise::autograd
