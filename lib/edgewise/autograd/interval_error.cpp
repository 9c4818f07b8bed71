#include "edgewise/autograd/interval_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/autograd/detail/known_targets.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

/// Both ends are NaN, or neither; then a number lies between them, ends included.
void check_interval(const Matrix& lower, const Matrix& upper, std::uint32_t node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (Eigen::Index c = 0; c < lower.cols(); ++c) {
    const float low = lower(node, c), high = upper(node, c);
    if ((low <= high && low < kInfinity && high > -kInfinity) || (std::isnan(low) && std::isnan(high))) continue;
    throw UsageError(fmt::format("interval_error: expected the lower end at or below the upper end, with numbers "
                                 "between them, or both NaN, got {} and {} in row {}, column {}",
                                 low, high, node, c));
  }
}

}  // namespace

Variable interval_error(Variable prediction, const Matrix& lower, const Matrix& upper,
                        std::span<const std::uint32_t> nodes, const EntryWeights& weights, Penalty penalty) {
  check_shape("interval_error", "lower", shape_of(lower), shape_of(prediction));
  check_shape("interval_error", "upper", shape_of(upper), shape_of(prediction));
  for (const std::uint32_t node : nodes) {
    check_index("interval_error", "nodes", node, static_cast<std::size_t>(prediction.rows()));
    check_interval(lower, upper, node);
  }
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
