#pragma once

#include "edgewise/autograd/tape.hpp"

/// @file
/// Sums and products of whole matrices. Operands must be on one tape; throws UsageError if the shapes do not match.
namespace edgewise::autograd {

/// a + b, same shape.
Variable add(Variable a, Variable b);

/// a - b, same shape.
Variable subtract(Variable a, Variable b);

/// a * b element by element, same shape.
Variable multiply(Variable a, Variable b);

/// factor * x.
Variable scale(Variable x, float factor);

/// x + row for every row of x: x [N, C], row [1, C].
Variable add_row(Variable x, Variable row);

/// g * a + (1 - g) * b, one weight per row: gate [N, 1], a and b [N, C]. The gated residual of Shi et al. 2021.
Variable mix(Variable gate, Variable a, Variable b);

/// The sum of all elements, [1, 1], accumulated in double over fixed blocks. 0 if x is empty.
Variable sum(Variable x);

}  // namespace edgewise::autograd
