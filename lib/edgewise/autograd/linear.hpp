#pragma once

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// x * weight + bias; x [n, k], weight [k, m], bias [1, m] or an unset Variable.
Variable linear(Variable x, Variable weight, Variable bias = {});

}  // namespace edgewise::autograd
