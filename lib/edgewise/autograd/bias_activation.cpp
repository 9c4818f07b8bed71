#include "edgewise/autograd/bias_activation.hpp"

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/dropout_mask.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::autograd {
namespace {

using edgewise::detail::DropoutMask;
using edgewise::detail::mask_key;
using Eigen::Index;
using simd::kNativeLanes;
using simd::Native;

/// The slope below 0 of a piecewise linear rectifier.
float slope_of(Rectifier f) {
  if (f == Rectifier::none) return 1;
  return f == Rectifier::leaky_relu ? 0.2F : 0;
}

template <bool kIsElu>
Native value_of(Native x, float slope) {
  if constexpr (kIsElu) return x > 0.0F ? x : simd::exp(x) - 1.0F;
  return x > 0.0F ? x : slope * x;
}

/// The derivative, given the value `y`. For ELU below 0 it is exp(x) = y + 1.
template <bool kIsElu>
Native derivative_of(Native y, float slope) {
  const Native one = Native{} + 1.0F;
  if constexpr (kIsElu) return y > 0.0F ? one : y + 1.0F;
  return y > 0.0F ? one : Native{} + slope;
}

/// `body(column, lanes)` for the vectors of a row.
template <class Body>
void for_each_vector(Index columns, const Body& body) {
  Index column = 0;
  for (; column + kNativeLanes <= columns; column += kNativeLanes) body(column, kNativeLanes);
  if (column < columns) body(column, static_cast<int>(columns - column));
}

Native load(const float* from, int lanes) {
  return lanes == kNativeLanes ? simd::load_as<Native>(from) : simd::load_first(from, lanes);
}

void store(float* to, Native value, int lanes) {
  if (lanes == kNativeLanes) return simd::store_as(to, value);
  simd::store_first(to, value, lanes);
}

/// Applies dropout to a vector of elements, numbered from `element` on.
Native drop(Native value, const ElementDropout& dropout, Index element) {
  if (dropout.probability == 0) return value;
  const auto number = static_cast<std::uint64_t>(element);
  const DropoutMask mask(dropout.probability, mask_key(dropout.key, number));
  return simd::keep(value * mask.scale(), mask.kept(simd::count_from(static_cast<std::uint32_t>(number))));
}

template <bool kIsElu>
void forward(Variable x, Variable bias, float slope, const ElementDropout& dropout, Variable y) {
  const Index columns = x.cols();
  const float* row = bias.is_set() ? bias.value().data() : nullptr;
  const float* in = x.value().data();
  float* out = y.value().data();
  detail::for_each_rows(x.rows(), columns, [&](Index begin, Index count) {
    for (Index first = begin * columns; first < (begin + count) * columns; first += columns)
      for_each_vector(columns, [&](Index column, int lanes) {
        Native value = load(in + first + column, lanes);
        if (row != nullptr) value += load(row + column, lanes);
        store(out + first + column, drop(value_of<kIsElu>(value, slope), dropout, first + column), lanes);
      });
  });
}

/// Forward was y = dropout(f(x + bias)). Here dy becomes the gradient of x in place, dropout(dy) f'(y without dropout),
/// and the gradient of the bias is the sum of its rows.
template <bool kIsElu>
void backward(Variable bias, float slope, const ElementDropout& dropout, Variable y) {
  const Index columns = y.cols();
  const float unscaled = 1.0F - dropout.probability;
  float* gradient = y.gradient().data();
  const float* out = y.value().data();
  const auto pass = [&](Index begin, Index count, float* sums) {
    for (Index first = begin * columns; first < (begin + count) * columns; first += columns)
      for_each_vector(columns, [&](Index column, int lanes) {
        float* at = gradient + first + column;
        const Native slopes = derivative_of<kIsElu>(load(out + first + column, lanes) * unscaled, slope);
        const Native passed = drop(load(at, lanes), dropout, first + column) * slopes;
        store(at, passed, lanes);
        if (sums != nullptr) store(sums + column, load(sums + column, lanes) + passed, lanes);
      });
  };
  if (bias.is_set() && bias.needs_gradient())
    detail::add_row_sums(y.tape(), y.rows(), bias.gradient(),
                         [&](Index begin, Index count, MatrixMap partial) { pass(begin, count, partial.data()); });
  else
    detail::for_each_rows(y.rows(), columns, [&](Index begin, Index count) { pass(begin, count, nullptr); });
}

}  // namespace

Variable bias_activation(Variable x, Variable bias, Rectifier f, const ElementDropout& dropout) {
  check_probability("bias_activation", dropout.probability);
  if (bias.is_set()) check_shape("bias_activation", "bias", shape_of(bias), {1, x.cols()});
  if (!bias.is_set() && f == Rectifier::none && dropout.probability == 0) return x;
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient() || (bias.is_set() && bias.needs_gradient()));
  const float slope = slope_of(f);
  const bool is_elu = f == Rectifier::elu;
  if (is_elu)
    forward<true>(x, bias, slope, dropout, y);
  else
    forward<false>(x, bias, slope, dropout, y);
  x.tape().on_backward(y, [x, bias, slope, is_elu, dropout, y] {
    if (is_elu)
      backward<true>(bias, slope, dropout, y);
    else
      backward<false>(bias, slope, dropout, y);
    if (x.needs_gradient()) y.tape().pass_gradient(y, x);
  });
  return y;
}

}  // namespace edgewise::autograd
