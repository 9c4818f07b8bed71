#include "edgewise/autograd/heads.hpp"

#include <cassert>

#include "edgewise/autograd/detail/elementwise.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

/// `body(width)` with the width as a constant where that makes the short loops over a head unroll.
template <class Body>
void with_width(Index width, Body&& body) {
  switch (width) {
    case 4: return body(Eigen::fix<4>);
    case 8: return body(Eigen::fix<8>);
    case 16: return body(Eigen::fix<16>);
    case 32: return body(Eigen::fix<32>);
    default: return body(width);
  }
}

}  // namespace

Variable head_dot(Variable x, Variable vector, int heads) {
  assert(heads > 0 && x.cols() % heads == 0 && vector.rows() == 1 && vector.cols() == x.cols());
  const Index width = x.cols() / heads;
  Variable y = x.tape().make(x.rows(), heads, x.needs_gradient() || vector.needs_gradient());
  for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    with_width(width, [&, in = x.value(), out = y.value(), v = vector.value()](auto w) mutable {
      for (Index n = begin; n < begin + count; ++n) {
        for (Index h = 0; h < heads; ++h) {
          out(n, h) = in.row(n).segment(h * width, w).dot(v.row(0).segment(h * width, w));
        }
      }
    });
  });
  x.tape().on_backward(y, [x, vector, y, heads, width] {
    const MatrixMap upstream = y.gradient();
    if (x.needs_gradient()) {
      for_each_rows(x.rows(), x.cols(), [&, gradient = x.gradient()](Index begin, Index count) {
        with_width(width, [&, to = gradient, v = vector.value()](auto w) mutable {
          for (Index n = begin; n < begin + count; ++n) {
            for (Index h = 0; h < heads; ++h) {
              to.row(n).segment(h * width, w) += upstream(n, h) * v.row(0).segment(h * width, w);
            }
          }
        });
      });
    }
    if (!vector.needs_gradient()) return;
    detail::add_row_sums(y.tape(), x.rows(), vector.gradient(), [&](Index begin, Index count, MatrixMap partial) {
      with_width(width, [&, in = x.value()](auto w) {
        for (Index n = begin; n < begin + count; ++n) {
          for (Index h = 0; h < heads; ++h) {
            partial.row(0).segment(h * width, w) += upstream(n, h) * in.row(n).segment(h * width, w);
          }
        }
      });
    });
  });
  return y;
}

Variable mean_over_heads(Variable x, int heads) {
  assert(heads > 0 && x.cols() % heads == 0);
  if (heads == 1) return x;
  const Index width = x.cols() / heads;
  const float share = 1.0F / static_cast<float>(heads);
  Variable y = x.tape().make(x.rows(), width, x.needs_gradient());
  for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    for (Index n = begin; n < begin + count; ++n) {
      y.value().row(n) = x.value().row(n).head(width);
      for (Index h = 1; h < heads; ++h) y.value().row(n) += x.value().row(n).segment(h * width, width);
      y.value().row(n) *= share;
    }
  });
  x.tape().on_backward(y, [x, y, heads, width, share] {
    const MatrixMap upstream = y.gradient();
    MatrixMap gradient = x.gradient();
    for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
      for (Index n = begin; n < begin + count; ++n) {
        for (Index h = 0; h < heads; ++h) gradient.row(n).segment(h * width, width) += share * upstream.row(n);
      }
    });
  });
  return y;
}

}  // namespace edgewise::autograd
