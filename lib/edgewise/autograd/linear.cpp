#include "edgewise/autograd/linear.hpp"

#include <vector>

#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/masked_product.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {
namespace {

/// Columns of a head from which on a dense product of its own is the faster way.
constexpr Eigen::Index kWideHead = 8;

/// The products of the heads, each with its dropped-out x, side by side.
Variable concat_dropped(Variable x, Variable weight, float probability, std::span<const std::uint64_t> keys) {
  const auto width = weight.cols() / static_cast<Eigen::Index>(keys.size());
  std::vector<Variable> products;
  for (const std::uint64_t key : keys) {
    const auto first = static_cast<Eigen::Index>(products.size()) * width;
    products.push_back(linear(dropout(x, probability, key), slice_columns(weight, first, width)));
  }
  return concat_columns(products);
}

bool any_needs_gradient(Variable weight, Variable bias) {
  return weight.needs_gradient() || (bias.is_set() && bias.needs_gradient());
}

}  // namespace

Variable linear(Variable x, Variable weight, Variable bias) {
  check_shape("linear", "weight", shape_of(weight), {x.cols(), weight.cols()});
  if (bias.is_set()) check_shape("linear", "bias", shape_of(bias), {1, weight.cols()});
  Tape& tape = x.tape();
  Variable out = tape.make(x.rows(), weight.cols(), x.needs_gradient() || any_needs_gradient(weight, bias));
  if (bias.is_set())
    multiply_and_add_row(x.value(), weight.value(), bias.value(), out.value(), tape.workspace());
  else
    multiply(x.value(), weight.value(), out.value(), tape.workspace());
  tape.on_backward(out, [x, weight, bias, out] {
    const MatrixMap gradient = out.gradient();
    Workspace& workspace = out.tape().workspace();
    const bool has_bias = bias.is_set() && bias.needs_gradient();
    if (weight.needs_gradient() && has_bias)
      add_transposed_product_and_sums(x.value(), gradient, weight.gradient(), bias.gradient(), workspace);
    else if (weight.needs_gradient())
      multiply_transpose(x.value(), gradient, weight.gradient(), workspace, Result::add);
    else if (has_bias)
      add_column_sums(gradient, bias.gradient(), workspace);
    if (!x.needs_gradient()) return;
    const GradientTarget target = x.gradient_target();
    multiply_by_transpose(gradient, weight.value(), target.gradient, workspace,
                          target.is_empty ? Result::replace : Result::add);
  });
  return out;
}

Variable linear_by_head(Variable x, Variable weight, float probability, std::span<const std::uint64_t> keys) {
  const auto heads = static_cast<Eigen::Index>(keys.size());
  check_shape("linear_by_head", "weight", shape_of(weight), {x.cols(), weight.cols()});
  check_heads("linear_by_head", heads, weight.cols());
  check_probability("linear_by_head", probability);
  if (heads == 1) return linear(dropout(x, probability, keys[0]), weight);
  if (weight.cols() / heads >= kWideHead) return concat_dropped(x, weight, probability, keys);
  Tape& tape = x.tape();
  const auto elements = static_cast<std::size_t>(x.value().size());
  MatrixMap bits = tape.scratch(heads, static_cast<Eigen::Index>(mask_words(elements)));
  const HeadMasks masks = draw_masks(probability, keys, elements, reinterpret_cast<std::uint32_t*>(bits.data()));
  Variable out = tape.make(x.rows(), weight.cols(), x.needs_gradient() || weight.needs_gradient());
  multiply_masked(x.value(), masks, weight.value(), out.value());
  tape.on_backward(out, [x, weight, masks, out] {
    const GradientTarget target = x.needs_gradient() ? x.gradient_target() : GradientTarget{{nullptr, 0, 0}, true};
    const MatrixMap weight_gradient = weight.needs_gradient() ? weight.gradient() : MatrixMap{nullptr, 0, 0};
    multiply_masked_backward(x.value(), masks, weight.value(), out.gradient(),
                             {target.gradient, target.is_empty, weight_gradient});
  });
  return out;
}

}  // namespace edgewise::autograd
