#include "edgewise/autograd/poisson_error.hpp"

#include <cmath>

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

Variable poisson_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                       const EntryWeights& weights) {
  check_shape("poisson_error", "targets", shape_of(targets), shape_of(prediction));
  for (const std::uint32_t node : nodes)
    check_index("poisson_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  weights.check("poisson_error", shape_of(prediction));
  return detail::mean_over_known(
      prediction, targets, nodes, weights,
      [](float x, float t, std::uint32_t, Eigen::Index) { return std::exp(x) - t * x; },
      [](float x, float t, std::uint32_t, Eigen::Index) { return std::exp(x) - t; });
}

}  // namespace edgewise::autograd
