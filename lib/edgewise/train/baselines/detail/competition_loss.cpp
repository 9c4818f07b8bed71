#include "edgewise/train/baselines/detail/competition_loss.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace edgewise::train::detail {

double competition_loss(std::span<const float> outputs, std::size_t group, std::span<float> gradient,
                        std::span<float> curvature) {
  constexpr double kLeastCurvature = 1e-6;
  double sum = 0;
  std::vector<double> shares(group);
  for (std::size_t first = 0; first < outputs.size(); first += group) {
    const std::span<const float> of = outputs.subspan(first, group);
    const double most = std::ranges::max(of);
    double total = 0;
    for (std::size_t i = 0; i < group; ++i) total += shares[i] = std::exp(static_cast<double>(of[i]) - most);
    sum += std::log(total) + most - static_cast<double>(of[0]);
    if (gradient.empty()) continue;
    for (std::size_t i = 0; i < group; ++i) {
      const double share = shares[i] / total;
      gradient[first + i] = static_cast<float>(share - (i == 0 ? 1 : 0));
      curvature[first + i] = static_cast<float>(std::max(2 * share * (1 - share), kLeastCurvature));
    }
  }
  return sum / static_cast<double>(outputs.size() / group);
}

}  // namespace edgewise::train::detail
