#include "edgewise/autograd/activations.hpp"

#include <unsupported/Eigen/SpecialFunctions>

#include "edgewise/autograd/detail/elementwise.hpp"

namespace edgewise::autograd {

using detail::flat;
using detail::FlatArray;
using detail::for_each_block;
using Eigen::Index;

namespace {

constexpr float kInverseSqrt2 = 0.70710678F;
constexpr float kInverseSqrt2Pi = 0.39894228F;

/// y = value(x) in blocks; `slope(x, y)` is the derivative at one element.
template <class Value, class Slope>
Variable unary(Variable x, const Value& value, const Slope& slope) {
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    flat(y.value(), begin, count) = value(flat(x.value(), begin, count));
  });
  x.tape().on_backward(y, [x, y, slope] {
    GradientTarget target = x.gradient_target();
    float* gradient = target.gradient.data();
    const bool is_empty = target.is_empty;
    const float* upstream = y.gradient().data();
    const float* in = x.value().data();
    const float* out = y.value().data();
    for_each_block(y.value().size(), [&](Index begin, Index count) {
      const Index end = begin + count;
      if (is_empty)
        for (Index i = begin; i < end; ++i) gradient[i] = upstream[i] * slope(in[i], out[i]);
      else
        for (Index i = begin; i < end; ++i) gradient[i] += upstream[i] * slope(in[i], out[i]);
    });
  });
  return y;
}

// max(x, 0) and min(x, 0), exact; unlike Eigen's, they keep NaN.
auto above_zero(FlatArray x) { return 0.5F * (x + x.abs()); }
auto below_zero(FlatArray x) { return 0.5F * (x - x.abs()); }

}  // namespace

Variable relu(Variable x) {
  return unary(x, above_zero, [](float in, float) { return in > 0 ? 1.0F : 0.0F; });
}

Variable leaky_relu(Variable x, float negative_slope) {
  return unary(
      x, [=](FlatArray in) { return above_zero(in) + negative_slope * below_zero(in); },
      [=](float in, float) { return in > 0 ? 1.0F : negative_slope; });
}

Variable elu(Variable x) {
  // Below 0 the derivative exp(x) is y + 1.
  return unary(
      x, [](FlatArray in) { return above_zero(in) + (below_zero(in).exp() - 1.0F); },
      [](float, float out) { return out > 0 ? 1.0F : out + 1.0F; });
}

Variable gelu(Variable x) {
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    const FlatArray in = flat(x.value(), begin, count);
    flat(y.value(), begin, count) = 0.5F * in * (1.0F + (kInverseSqrt2 * in).erf());
  });
  x.tape().on_backward(y, [x, y] {
    // The derivative of x P(x) is P(x) + x p(x), with p the normal density. Beyond 6 deviations, where the last term is
    // less than the rounding error of erf, it is 0: subnormal numbers would make every later product several times
    // slower. The shift that does so is smaller than that error, too; a comparison would not be vectorised. There, x is
    // limited, since infinity times 0 is NaN.
    constexpr float kNoDensity = 1.5229980e-8F;  // exp(-18)
    constexpr float kLimit = 8;
    const MatrixMap upstream = y.gradient();
    detail::add_gradient(x, [&](Index begin, Index count) {
      const FlatArray in = flat(x.value(), begin, count);
      return flat(upstream, begin, count) *
          (0.5F * (1.0F + (kInverseSqrt2 * in).erf()) +
           kInverseSqrt2Pi * in.min(kLimit).max(-kLimit) *
               ((-0.5F * in.square()).exp() - kNoDensity).max(0.0F));
    });
  });
  return y;
}

Variable sigmoid(Variable x) {
  return unary(x, [](FlatArray in) { return in.logistic(); }, [](float, float out) { return out * (1.0F - out); });
}

Variable tanh(Variable x) {
  return unary(x, [](FlatArray in) { return in.tanh(); }, [](float, float out) { return 1.0F - out * out; });
}

}  // namespace edgewise::autograd
