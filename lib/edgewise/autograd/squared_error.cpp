#include "edgewise/autograd/squared_error.hpp"

#include <cassert>

#include "edgewise/autograd/detail/known_targets.hpp"

namespace edgewise::autograd {

Variable squared_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes) {
  assert(targets.rows() == prediction.rows() && targets.cols() == prediction.cols());
  return detail::mean_over_known(
      prediction, targets, nodes, [](float x, float t, Eigen::Index) { return (x - t) * (x - t); },
      [](float x, float t, Eigen::Index) { return 2 * (x - t); });
}

}  // namespace edgewise::autograd
