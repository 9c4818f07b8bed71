#include "edgewise/train/baselines/even_share.hpp"

namespace edgewise::train {

void share_evenly(Matrix& probabilities) {
  if (probabilities.cols() == 0) return;
  const float each = kEvenShare / static_cast<float>(probabilities.cols());
  probabilities.array() = (1 - kEvenShare) * probabilities.array() + each;
}

}  // namespace edgewise::train
