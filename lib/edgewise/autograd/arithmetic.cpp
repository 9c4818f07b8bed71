#include "edgewise/autograd/arithmetic.hpp"

#include <string_view>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {

using detail::add_gradient;
using detail::flat;
using detail::for_each_block;
using detail::for_each_rows;
using Eigen::Index;

namespace {

/// The gradient of x += factor * upstream
void add_scaled(Variable x, MatrixMap upstream, float factor) {
  add_gradient(x, [&](Index begin, Index count) { return factor * flat(upstream, begin, count); });
}

/// The gradient of x += upstream * factor, element by element
void add_product(Variable x, MatrixMap upstream, MatrixMap factor) {
  add_gradient(x, [&](Index begin, Index count) { return flat(upstream, begin, count) * flat(factor, begin, count); });
}

/// a + factor * b
Variable combine(std::string_view operation, Variable a, Variable b, float factor) {
  check_shape(operation, "b", shape_of(b), shape_of(a));
  Variable y = a.tape().make(a.rows(), a.cols(), a.needs_gradient() || b.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    flat(y.value(), begin, count) = flat(a.value(), begin, count) + factor * flat(b.value(), begin, count);
  });
  a.tape().on_backward(y, [a, b, y, factor] {
    if (b.needs_gradient()) add_scaled(b, y.gradient(), factor);
    if (a.needs_gradient()) y.tape().pass_gradient(y, a);
  });
  return y;
}

}  // namespace

Variable add(Variable a, Variable b) { return combine("add", a, b, 1.0F); }

Variable subtract(Variable a, Variable b) { return combine("subtract", a, b, -1.0F); }

Variable multiply(Variable a, Variable b) {
  check_shape("multiply", "b", shape_of(b), shape_of(a));
  Variable y = a.tape().make(a.rows(), a.cols(), a.needs_gradient() || b.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    flat(y.value(), begin, count) = flat(a.value(), begin, count) * flat(b.value(), begin, count);
  });
  a.tape().on_backward(y, [a, b, y] {
    if (a.needs_gradient()) add_product(a, y.gradient(), b.value());
    if (b.needs_gradient()) add_product(b, y.gradient(), a.value());
  });
  return y;
}

Variable scale(Variable x, float factor) {
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    flat(y.value(), begin, count) = factor * flat(x.value(), begin, count);
  });
  x.tape().on_backward(y, [x, y, factor] { add_scaled(x, y.gradient(), factor); });
  return y;
}

Variable add_row(Variable x, Variable row) {
  check_shape("add_row", "row", shape_of(row), {1, x.cols()});
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient() || row.needs_gradient());
  for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    y.value().middleRows(begin, count) = x.value().middleRows(begin, count).rowwise() + row.value().row(0);
  });
  x.tape().on_backward(y, [x, row, y] {
    if (row.needs_gradient()) add_column_sums(y.gradient(), row.gradient(), y.tape().workspace());
    if (x.needs_gradient()) y.tape().pass_gradient(y, x);
  });
  return y;
}

Variable mix(Variable gate, Variable a, Variable b) {
  check_shape("mix", "gate", shape_of(gate), {a.rows(), 1});
  check_shape("mix", "b", shape_of(b), shape_of(a));
  Variable y = a.tape().make(a.rows(), a.cols(), gate.needs_gradient() || a.needs_gradient() || b.needs_gradient());
  for_each_rows(a.rows(), a.cols(), [&](Index begin, Index count) {
    for (Index r = begin; r < begin + count; ++r) {
      const float g = gate.value()(r, 0);
      y.value().row(r) = g * a.value().row(r) + (1.0F - g) * b.value().row(r);
    }
  });
  a.tape().on_backward(y, [gate, a, b, y] {
    // Get these before the parallel region: the first use of a gradient creates it.
    const MatrixMap upstream = y.gradient();
    const MatrixMap none(nullptr, 0, 0);
    MatrixMap gate_gradient = gate.needs_gradient() ? gate.gradient() : none;
    MatrixMap a_gradient = a.needs_gradient() ? a.gradient() : none;
    MatrixMap b_gradient = b.needs_gradient() ? b.gradient() : none;
    for_each_rows(a.rows(), a.cols(), [&](Index begin, Index count) {
      for (Index r = begin; r < begin + count; ++r) {
        const float g = gate.value()(r, 0);
        if (a.needs_gradient()) a_gradient.row(r) += g * upstream.row(r);
        if (b.needs_gradient()) b_gradient.row(r) += (1.0F - g) * upstream.row(r);
        if (gate.needs_gradient()) gate_gradient(r, 0) += upstream.row(r).dot(a.value().row(r) - b.value().row(r));
      }
    });
  });
  return y;
}

Variable sum(Variable x) {
  Variable y = x.tape().make(1, 1, x.needs_gradient());
  double total = 0;
  for (Index begin = 0; begin < x.value().size(); begin += detail::kElementGrain) {
    const Index count = std::min(detail::kElementGrain, x.value().size() - begin);
    total += flat(x.value(), begin, count).cast<double>().sum();
  }
  y.value()(0, 0) = static_cast<float>(total);
  x.tape().on_backward(y, [x, y] {
    const float upstream = y.gradient()(0, 0);
    add_gradient(x, [&](Index, Index count) { return Eigen::ArrayXf::Constant(count, upstream); });
  });
  return y;
}

}  // namespace edgewise::autograd
