#include "edgewise/autograd/heads.hpp"

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

Variable mean_over_heads(Variable x, int heads) {
  check_heads("mean_over_heads", heads, x.cols());
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
