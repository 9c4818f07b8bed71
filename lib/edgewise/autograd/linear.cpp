#include "edgewise/autograd/linear.hpp"

#include <fmt/format.h>

#include <vector>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/detail/optional_variable.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/masked_product.hpp"

namespace edgewise::autograd {
namespace {

/// Columns per head from which one dense product per head is faster.
constexpr Eigen::Index kWideHead = 8;

/// The products of the heads, each with its own dropout of x, side by side.
Variable concat_dropped(Variable x, Variable weight, float probability, std::span<const std::uint64_t> keys) {
  const auto width = weight.cols() / static_cast<Eigen::Index>(keys.size());
  std::vector<Variable> products;
  for (const std::uint64_t key : keys) {
    const auto first = static_cast<Eigen::Index>(products.size()) * width;
    products.push_back(linear(dropout(x, probability, key), slice_columns(weight, first, width)));
  }
  return concat_columns(products);
}

using detail::gradient_or_null;
using detail::needs_gradient;
using Factors = std::array<LinearFactor, kMaxMaps>;
using Results = std::array<Variable, kMaxMaps>;

/// Runs the maps in the order in which separate operations would run backwards.
void backward(Variable x, const Factors& factors, const Results& results, std::size_t count) {
  std::array<AffineGradients, kMaxMaps> maps;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [weight, bias] = factors[i];
    maps[count - 1 - i] = {.outputs = weight.cols(),
                           .weight = weight.value().data(),
                           .y_gradient = results[i].gradient().data(),
                           .weight_gradient = gradient_or_null(weight),
                           .bias_gradient = gradient_or_null(bias)};
  }
  const GradientTarget target = x.needs_gradient() ? x.gradient_target() : GradientTarget{{nullptr, 0, 0}, true};
  affine_backward(x.value(), std::span(maps).first(count), target.gradient,
                  target.is_empty ? Result::replace : Result::add, x.tape().workspace());
}

}  // namespace

Variable linear(Variable x, Variable weight, Variable bias) {
  return linear_each(x, std::array{LinearFactor{weight, bias}})[0];
}

Variable linear_transposed(Variable x, Variable weight, Variable bias) {
  check_shape("linear_transposed", "weight", shape_of(weight), {weight.rows(), x.cols()});
  Tape& tape = x.tape();
  Variable out = tape.make(x.rows(), weight.rows(), x.needs_gradient() || weight.needs_gradient());
  multiply_by_transpose(x.value(), weight.value(), out.value(), tape.workspace());
  tape.on_backward(out, [x, weight, out] {
    Workspace& workspace = out.tape().workspace();
    if (weight.needs_gradient())
      multiply_transpose(out.gradient(), x.value(), weight.gradient(), workspace, Result::add);
    if (x.needs_gradient()) multiply(out.gradient(), weight.value(), x.gradient(), workspace, Result::add);
  });
  return bias.is_set() ? add_row(out, bias) : out;
}

Results linear_each(Variable x, std::span<const LinearFactor> factors) {
  if (factors.empty() || factors.size() > kMaxMaps)
    throw UsageError(fmt::format("linear_each: expected 1 to {} factors, got {}", kMaxMaps, factors.size()));
  Tape& tape = x.tape();
  bool is_differentiated = x.needs_gradient();
  for (const auto& [weight, bias] : factors) {
    check_shape("linear", "weight", shape_of(weight), {x.cols(), weight.cols()});
    if (bias.is_set()) check_shape("linear", "bias", shape_of(bias), {1, weight.cols()});
    is_differentiated = is_differentiated || weight.needs_gradient() || needs_gradient(bias);
  }
  Factors kept;
  Results results;
  std::array<AffineMap, kMaxMaps> maps;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto& [weight, bias] = kept[i] = factors[i];
    results[i] = tape.make(x.rows(), weight.cols(), is_differentiated);
    maps[i] = {.outputs = weight.cols(),
               .weight = weight.value().data(),
               .bias = detail::values_or_null(bias),
               .y = results[i].value().data()};
  }
  affine(x.value(), std::span(maps).first(factors.size()), tape.workspace());
  tape.on_backward(std::span(results).first(factors.size()),
                   [x, kept, results, count = factors.size()] { backward(x, kept, results, count); });
  return results;
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
