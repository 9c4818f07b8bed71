#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/autograd/entry_weights.hpp"

namespace edgewise::autograd::detail {

/// What an error costs, and its derivative.
inline float penalty_of(Penalty penalty, float error) {
  const float size = std::abs(error);
  return penalty == Penalty::square || size <= 1 ? error * error : 2 * size - 1;
}
inline float slope_of(Penalty penalty, float error) {
  return penalty == Penalty::square || std::abs(error) <= 1 ? 2 * error : error > 0 ? 2.0F : -2.0F;
}

/// The weighted mean of loss(prediction, target, node, column) over the entries of the rows `nodes` whose target is not
/// NaN; slope(prediction, target, node, column) is its derivative. Both must be trivially copyable. 0 without gradient
/// if nothing is known, or has weight.
template <class Loss, class Slope>
Variable mean_over_known(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                         const EntryWeights& weights, const Loss& loss, const Slope& slope) {
  using Eigen::Index;
  const auto count = static_cast<Index>(nodes.size());
  Variable result = prediction.tape().make(1, 1, prediction.needs_gradient());
  MatrixMap row_losses = prediction.tape().scratch(count, 1);
  MatrixMap row_known = prediction.tape().scratch(count, 1);
  for_each_rows(count, prediction.cols(), [&](Index begin, Index rows) {
    for (Index i = begin; i < begin + rows; ++i) {
      const std::uint32_t node = nodes[static_cast<std::size_t>(i)];
      row_losses(i, 0) = 0;
      row_known(i, 0) = 0;
      for (Index c = 0; c < prediction.cols(); ++c) {
        const float target = targets(node, c);
        if (std::isnan(target)) continue;
        const float weight = weights.at(node, c);
        row_losses(i, 0) += weight * loss(prediction.value()(node, c), target, node, c);
        row_known(i, 0) += weight;
      }
    }
  });
  const double known = row_known.cast<double>().sum();
  result.value()(0, 0) = known > 0 ? static_cast<float>(row_losses.cast<double>().sum() / known) : 0.0F;
  if (known == 0) return result;

  prediction.tape().on_backward(result, [prediction, result, targets = &targets, nodes, weights, slope, known] {
    MatrixMap gradient = prediction.gradient();
    const float upstream = result.gradient()(0, 0) / static_cast<float>(known);
    for_each_rows(static_cast<Index>(nodes.size()), prediction.cols(), [&](Index begin, Index rows) {
      for (Index i = begin; i < begin + rows; ++i) {
        const std::uint32_t node = nodes[static_cast<std::size_t>(i)];
        for (Index c = 0; c < prediction.cols(); ++c) {
          const float target = (*targets)(node, c);
          if (std::isnan(target)) continue;
          gradient(node, c) += upstream * weights.at(node, c) * slope(prediction.value()(node, c), target, node, c);
        }
      }
    });
  });
  return result;
}

}  // namespace edgewise::autograd::detail
