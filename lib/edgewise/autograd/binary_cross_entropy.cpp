#include "edgewise/autograd/binary_cross_entropy.hpp"

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

namespace {

/// log(1 + exp(x))
float softplus(float x) { return (x > 0 ? x : 0.0F) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

Variable binary_cross_entropy(Variable logits, const Matrix& targets, std::span<const std::uint32_t> nodes,
                              std::span<const float> positive_weights, const EntryWeights& weights) {
  check_shape("binary_cross_entropy", "targets", shape_of(targets), shape_of(logits));
  for (const std::uint32_t node : nodes)
    check_index("binary_cross_entropy", "nodes", node, static_cast<std::size_t>(logits.rows()));
  if (!positive_weights.empty())
    check_count("binary_cross_entropy", "positive_weights", positive_weights.size(),
                static_cast<std::size_t>(logits.cols()));
  const auto weight = [positive_weights](Eigen::Index c) {
    return positive_weights.empty() ? 1.0F : positive_weights[static_cast<std::size_t>(c)];
  };
  // -log(sigmoid(x)) is softplus(-x), -log(1 - sigmoid(x)) is softplus(x).
  weights.check("binary_cross_entropy", shape_of(logits));
  return detail::mean_over_known(
      logits, targets, nodes, weights,
      [weight](float x, float t, std::uint32_t, Eigen::Index c) {
        return weight(c) * t * softplus(-x) + (1 - t) * softplus(x);
      },
      [weight](float x, float t, std::uint32_t, Eigen::Index c) {
        const float sigmoid = 1.0F / (1.0F + std::exp(-x));
        return weight(c) * t * (sigmoid - 1) + (1 - t) * sigmoid;
      });
}

}  // namespace edgewise::autograd
