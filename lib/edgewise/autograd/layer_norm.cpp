#include "edgewise/autograd/layer_norm.hpp"

#include <cmath>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

Variable layer_norm(Variable x, Variable gain, Variable bias, float epsilon) {
  check_shape("layer_norm", "gain", shape_of(gain), {1, x.cols()});
  check_shape("layer_norm", "bias", shape_of(bias), {1, x.cols()});
  const Index cols = x.cols();
  Variable y = x.tape().make(x.rows(), cols, x.needs_gradient() || gain.needs_gradient() || bias.needs_gradient());
  // Per row: the mean, and one over the standard deviation.
  Variable kept = x.tape().make(x.rows(), 2, false);
  MatrixMap moments = kept.value();
  for_each_rows(x.rows(), cols, [&](Index begin, Index count) {
    for (Index r = begin; r < begin + count; ++r) {
      const auto row = x.value().row(r).array();
      const float mean = row.mean();
      const float scale = 1.0F / std::sqrt((row - mean).square().mean() + epsilon);
      moments(r, 0) = mean;
      moments(r, 1) = scale;
      y.value().row(r).array() = (row - mean) * scale * gain.value().row(0).array() + bias.value().row(0).array();
    }
  });
  x.tape().on_backward(y, [x, gain, bias, y, kept, cols] {
    const MatrixMap moments = kept.value();
    // With z = (x - mean) * scale and u = upstream * gain:
    // d/dx = scale * (u - mean(u) - z * mean(u * z)), d/dgain = sum of upstream * z, d/dbias = sum of upstream.
    const MatrixMap upstream = y.gradient();
    if (x.needs_gradient()) {
      const GradientTarget target = x.gradient_target();
      MatrixMap gradient = target.gradient;
      for_each_rows(x.rows(), cols, [&](Index begin, Index count) {
        for (Index r = begin; r < begin + count; ++r) {
          const auto z = (x.value().row(r).array() - moments(r, 0)) * moments(r, 1);
          const auto u = upstream.row(r).array() * gain.value().row(0).array();
          const float mean_u = u.mean();
          const float mean_uz = (u * z).mean();
          if (target.is_empty)
            gradient.row(r).array() = moments(r, 1) * (u - mean_u - z * mean_uz);
          else
            gradient.row(r).array() += moments(r, 1) * (u - mean_u - z * mean_uz);
        }
      });
    }
    if (gain.needs_gradient()) {
      detail::add_row_sums(y.tape(), x.rows(), gain.gradient(), [&](Index begin, Index count, MatrixMap partial) {
        for (Index r = begin; r < begin + count; ++r) {
          partial.row(0).array() +=
              upstream.row(r).array() * (x.value().row(r).array() - moments(r, 0)) * moments(r, 1);
        }
      });
    }
    if (bias.needs_gradient()) add_column_sums(upstream, bias.gradient(), y.tape().workspace());
  });
  return y;
}

}  // namespace edgewise::autograd
