#include "edgewise/autograd/batch_norm.hpp"

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

/// Replaces the sums over the rows of a part by those over all rows.
void add_up(Part* part, MatrixMap sums) {
  if (part != nullptr) part->add_up({sums.data(), static_cast<std::size_t>(sums.size())});
}

/// Row 0: the means of the columns. Row 1: their variances with 1/N. N is at least 1.
void column_moments(Variable x, Part* part, Index rows, MatrixMap moments) {
  const float share = 1.0F / static_cast<float>(rows);
  moments.setZero();
  MatrixMap mean(moments.row(0).data(), 1, x.cols());
  MatrixMap variance(moments.row(1).data(), 1, x.cols());
  add_column_sums(x.value(), mean, x.tape().workspace());
  add_up(part, mean);
  mean *= share;
  detail::add_row_sums(x.tape(), x.rows(), variance, [&](Index begin, Index count, MatrixMap partial) {
    for (Index r = begin; r < begin + count; ++r) partial.row(0) += (x.value().row(r) - mean.row(0)).cwiseAbs2();
  });
  add_up(part, variance);
  variance *= share;
}

void move_running(Index rows, MatrixMap moments, float momentum, Matrix& mean, Matrix& variance) {
  mean += momentum * (moments.row(0) - mean);
  if (rows < 2) return;
  const float unbiased = static_cast<float>(rows) / static_cast<float>(rows - 1);
  variance += momentum * (unbiased * moments.row(1) - variance);
}

}  // namespace

Variable batch_norm(Variable x, Variable gain, Variable bias, Matrix& running_mean, Matrix& running_variance,
                    const BatchNormOptions& options) {
  const Shape row{1, x.cols()};
  check_shape("batch_norm", "gain", shape_of(gain), row);
  check_shape("batch_norm", "bias", shape_of(bias), row);
  check_shape("batch_norm", "running_mean", shape_of(running_mean), row);
  check_shape("batch_norm", "running_variance", shape_of(running_variance), row);
  Tape& tape = x.tape();
  const Index cols = x.cols();
  Variable y = tape.make(x.rows(), cols, x.needs_gradient() || gain.needs_gradient() || bias.needs_gradient());
  if (x.rows() == 0) return y;

  Variable kept = tape.make(2, cols, false);  // means; one over standard deviations
  MatrixMap moments = kept.value();
  if (options.is_training) {
    const Index rows = options.part != nullptr ? options.part->all_rows() : x.rows();
    column_moments(x, options.part, rows, moments);
    if (options.part == nullptr || options.part->is_keeper())
      move_running(rows, moments, options.momentum, running_mean, running_variance);
  } else {
    moments.row(0) = running_mean.row(0);
    moments.row(1) = running_variance.row(0);
  }
  moments.row(1).array() = (moments.row(1).array() + options.epsilon).rsqrt();
  for_each_rows(x.rows(), cols, [&](Index begin, Index count) {
    for (Index r = begin; r < begin + count; ++r) {
      y.value().row(r).array() =
          (x.value().row(r) - moments.row(0)).array() * moments.row(1).array() * gain.value().row(0).array() +
          bias.value().row(0).array();
    }
  });

  tape.on_backward(y, [x, gain, bias, y, kept, cols, is_training = options.is_training,
                       part = options.part] {
    // With z = (x - mean) * scale: d/dgain = sum of upstream * z, d/dbias = sum of upstream, and
    // d/dx = gain * scale * (upstream - d/dbias / N - z * d/dgain / N), terms in 1/N only if the moments are x's.
    const MatrixMap moments = kept.value();
    const MatrixMap upstream = y.gradient();
    MatrixMap sums = y.tape().scratch(2, cols);
    sums.setZero();
    MatrixMap gain_sum(sums.row(0).data(), 1, cols);
    MatrixMap bias_sum(sums.row(1).data(), 1, cols);
    detail::add_row_sums(y.tape(), x.rows(), gain_sum, [&](Index begin, Index count, MatrixMap partial) {
      for (Index r = begin; r < begin + count; ++r) {
        partial.row(0).array() +=
            upstream.row(r).array() * (x.value().row(r) - moments.row(0)).array() * moments.row(1).array();
      }
    });
    add_column_sums(upstream, bias_sum, y.tape().workspace());
    if (gain.needs_gradient()) gain.gradient() += gain_sum;
    if (bias.needs_gradient()) bias.gradient() += bias_sum;
    if (!x.needs_gradient()) return;
    if (is_training) add_up(part, sums);
    sums *= is_training ? 1.0F / static_cast<float>(part != nullptr ? part->all_rows() : x.rows()) : 0.0F;
    MatrixMap gradient = x.gradient();
    for_each_rows(x.rows(), cols, [&](Index begin, Index count) {
      for (Index r = begin; r < begin + count; ++r) {
        const auto z = (x.value().row(r) - moments.row(0)).array() * moments.row(1).array();
        gradient.row(r).array() += gain.value().row(0).array() * moments.row(1).array() *
                                   (upstream.row(r).array() - sums.row(1).array() - z * sums.row(0).array());
      }
    });
  });
  return y;
}

}  // namespace edgewise::autograd
