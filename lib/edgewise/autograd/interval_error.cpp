#include "edgewise/autograd/interval_error.hpp"

#include <algorithm>

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

Variable interval_error(Variable prediction, const Matrix& lower, const Matrix& upper,
                        std::span<const std::uint32_t> nodes) {
  check_shape("interval_error", "lower", shape_of(lower), shape_of(prediction));
  check_shape("interval_error", "upper", shape_of(upper), shape_of(prediction));
  for (const std::uint32_t node : nodes)
    check_index("interval_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  /// Negative below the interval, positive above it.
  const auto distance = [upper = &upper](float x, float low, std::uint32_t node, Eigen::Index c) {
    return std::min(x - low, 0.0F) + std::max(x - (*upper)(node, c), 0.0F);
  };
  return detail::mean_over_known(
      prediction, lower, nodes,
      [distance](float x, float low, std::uint32_t node, Eigen::Index c) {
        const float from_interval = distance(x, low, node, c);
        return from_interval * from_interval;
      },
      [distance](float x, float low, std::uint32_t node, Eigen::Index c) { return 2 * distance(x, low, node, c); });
}

}  // namespace edgewise::autograd
