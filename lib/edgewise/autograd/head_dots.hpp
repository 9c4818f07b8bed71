#pragma once

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// What the heads of a row are multiplied by: vector [1, H*D], and bias [1, H] or an unset Variable.
struct HeadVector {
  Variable vector;
  Variable bias = {};
};

/// [N, H] each.
struct HeadDots {
  Variable source;
  Variable destination;
};

/// y[n, h] = bias[h] + sum over d of x[n, h*D + d] * vector[h*D + d] for two vectors, in one pass over x [N, H*D]: the
/// two halves of GAT's score (Velickovic et al. 2018).
HeadDots head_dots(Variable x, const HeadVector& source, const HeadVector& destination, int heads);

}  // namespace edgewise::autograd
