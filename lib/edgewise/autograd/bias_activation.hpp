#pragma once

#include <cstdint>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Activations whose derivative follows from their value. Below 0, relu is 0, leaky_relu is 0.2 x and elu is
/// exp(x) - 1.
enum class Rectifier { none, relu, leaky_relu, elu };

/// As for `dropout`; with probability 0 there is none.
struct ElementDropout {
  float probability = 0;
  std::uint64_t key = 0;
};

/// dropout(f(x + bias)) in one pass each way: x [N, C], bias [1, C] or an unset Variable. The same as `add_row`, the
/// activation and `dropout` in sequence, with the same mask, but only the result is kept.
Variable bias_activation(Variable x, Variable bias, Rectifier f, const ElementDropout& dropout = {});

}  // namespace edgewise::autograd
