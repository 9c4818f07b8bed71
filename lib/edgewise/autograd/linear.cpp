#include "edgewise/autograd/linear.hpp"

#include <cassert>

#include "edgewise/core/product.hpp"

namespace edgewise::autograd {
namespace {

bool any_needs_gradient(Variable weight, Variable bias) {
  return weight.needs_gradient() || (bias.is_set() && bias.needs_gradient());
}

}  // namespace

Variable linear(Variable x, Variable weight, Variable bias) {
  assert(x.cols() == weight.rows());
  Tape& tape = x.tape();
  Variable out = tape.make(x.rows(), weight.cols(), x.needs_gradient() || any_needs_gradient(weight, bias));
  if (bias.is_set())
    multiply_and_add_row(x.value(), weight.value(), bias.value(), out.value());
  else
    multiply(x.value(), weight.value(), out.value());
  tape.on_backward(out, [x, weight, bias, out] {
    const MatrixMap gradient = out.gradient();
    const bool has_bias = bias.is_set() && bias.needs_gradient();
    if (weight.needs_gradient() && has_bias)
      add_transposed_product_and_sums(x.value(), gradient, weight.gradient(), bias.gradient());
    else if (weight.needs_gradient())
      multiply_transpose(x.value(), gradient, weight.gradient(), Result::add);
    else if (has_bias)
      add_column_sums(gradient, bias.gradient());
    if (!x.needs_gradient()) return;
    const GradientRoom room = x.gradient_room();
    multiply_by_transpose(gradient, weight.value(), room.gradient, room.is_empty ? Result::replace : Result::add);
  });
  return out;
}

}  // namespace edgewise::autograd
