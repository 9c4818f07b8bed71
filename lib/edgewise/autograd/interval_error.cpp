#include "edgewise/autograd/interval_error.hpp"

#include <algorithm>

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

Variable interval_error(Variable prediction, const Matrix& lower, const Matrix& upper,
                        std::span<const std::uint32_t> nodes, const EntryWeights& weights, Penalty penalty) {
  check_shape("interval_error", "lower", shape_of(lower), shape_of(prediction));
  check_shape("interval_error", "upper", shape_of(upper), shape_of(prediction));
  for (const std::uint32_t node : nodes)
    check_index("interval_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  /// Negative below the interval, positive above it.
  const auto distance = [upper = &upper](float x, float low, std::uint32_t node, Eigen::Index c) {
    return std::min(x - low, 0.0F) + std::max(x - (*upper)(node, c), 0.0F);
  };
  weights.check("interval_error", shape_of(prediction));
  return detail::mean_over_known(
      prediction, lower, nodes, weights,
      [distance, penalty](float x, float low, std::uint32_t node, Eigen::Index c) {
        return detail::penalty_of(penalty, distance(x, low, node, c));
      },
      [distance, penalty](float x, float low, std::uint32_t node, Eigen::Index c) {
        return detail::slope_of(penalty, distance(x, low, node, c));
      });
}

}  // namespace edgewise::autograd
