#include "edgewise/autograd/squared_error.hpp"

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

Variable squared_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes) {
  check_shape("squared_error", "targets", shape_of(targets), shape_of(prediction));
  for (const std::uint32_t node : nodes)
    check_index("squared_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
  return detail::mean_over_known(
      prediction, targets, nodes, [](float x, float t, std::uint32_t, Eigen::Index) { return (x - t) * (x - t); },
      [](float x, float t, std::uint32_t, Eigen::Index) { return 2 * (x - t); });
}

}  // namespace edgewise::autograd
