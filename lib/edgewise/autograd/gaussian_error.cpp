#include "edgewise/autograd/gaussian_error.hpp"

#include <algorithm>
#include <cmath>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

namespace {

using Eigen::Index;

constexpr float kMostLog = 12;
constexpr float kShare = 0.5F;  // b

/// Of one entry.
struct Term {
  float loss;
  float slope;           ///< In the value.
  float variance_slope;  ///< In the logarithm of the variance.
};

Term term_of(float value, float log_variance, float target) {
  const float log = std::clamp(log_variance, -kMostLog, kMostLog);
  const float error = value - target, scaled = error * std::exp(-log), factor = std::exp(kShare * log);
  const bool is_inside = log == log_variance;
  return {.loss = factor * (scaled * error + log) / 2,
          .slope = factor * scaled,
          .variance_slope = is_inside ? factor * (1 - scaled * error) / 2 : 0};
}

/// Calls `entry(row, column, term, weight)` for the known entries of `nodes`.
template <class Entry>
void for_each_known(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                    const EntryWeights& weights, const Entry& entry) {
  const Index columns = targets.cols();
  detail::for_each_rows(static_cast<Index>(nodes.size()), columns, [&](Index begin, Index rows) {
    for (Index i = begin; i < begin + rows; ++i) {
      const std::uint32_t node = nodes[static_cast<std::size_t>(i)];
      for (Index c = 0; c < columns; ++c) {
        const float target = targets(node, c);
        if (std::isnan(target)) continue;
        entry(i, c, term_of(prediction.value()(node, c), prediction.value()(node, columns + c), target),
              weights.at(node, c));
      }
    }
  });
}

}  // namespace

Variable gaussian_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                        const EntryWeights& weights) {
  check_shape("gaussian_error", "prediction", shape_of(prediction), {targets.rows(), 2 * targets.cols()});
  for (const std::uint32_t node : nodes)
    check_index("gaussian_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  weights.check("gaussian_error", shape_of(targets));
  Tape& tape = prediction.tape();
  Variable result = tape.make(1, 1, prediction.needs_gradient());
  const auto count = static_cast<Index>(nodes.size());
  MatrixMap losses = tape.scratch(count, 1), known = tape.scratch(count, 1);
  losses.setZero();
  known.setZero();
  for_each_known(prediction, targets, nodes, weights, [&](Index i, Index, const Term& term, float weight) {
    losses(i, 0) += weight * term.loss;
    known(i, 0) += weight;
  });
  const double total = known.cast<double>().sum();
  result.value()(0, 0) = total > 0 ? static_cast<float>(losses.cast<double>().sum() / total) : 0.0F;
  if (total == 0) return result;

  tape.on_backward(result, [prediction, result, targets = &targets, nodes, weights, total] {
    MatrixMap gradient = prediction.gradient();
    const float upstream = result.gradient()(0, 0) / static_cast<float>(total);
    for_each_known(prediction, *targets, nodes, weights, [&](Index i, Index c, const Term& term, float weight) {
      const std::uint32_t node = nodes[static_cast<std::size_t>(i)];
      gradient(node, c) += upstream * weight * term.slope;
      gradient(node, targets->cols() + c) += upstream * weight * term.variance_slope;
    });
  });
  return result;
}

}  // namespace edgewise::autograd
