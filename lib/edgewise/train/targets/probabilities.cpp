#include "edgewise/train/targets/probabilities.hpp"

#include <limits>
#include <span>

namespace edgewise::train {

void clamp_probabilities(Matrix& probabilities) {
  constexpr float kLeast = std::numeric_limits<float>::min(), kMost = 1 - std::numeric_limits<float>::epsilon() / 2;
  for (float& probability : std::span(probabilities.data(), static_cast<std::size_t>(probabilities.size())))
    if (probability < kLeast)
      probability = kLeast;
    else if (probability > kMost)
      probability = kMost;
}

}  // namespace edgewise::train
