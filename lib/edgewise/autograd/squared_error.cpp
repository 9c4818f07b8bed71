#include "edgewise/autograd/squared_error.hpp"

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

Variable squared_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                       const EntryWeights& weights, Penalty penalty) {
  check_shape("squared_error", "targets", shape_of(targets), shape_of(prediction));
  for (const std::uint32_t node : nodes)
    check_index("squared_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  weights.check("squared_error", shape_of(prediction));
  return detail::mean_over_known(
      prediction, targets, nodes, weights,
      [penalty](float x, float t, std::uint32_t, Eigen::Index) { return detail::penalty_of(penalty, x - t); },
      [penalty](float x, float t, std::uint32_t, Eigen::Index) { return detail::slope_of(penalty, x - t); });
}

}  // namespace edgewise::autograd
