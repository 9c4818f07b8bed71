#include "edgewise/train/baselines/detail/competition_loss.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using edgewise::train::detail::competition_loss;

TEST_CASE("the loss of a competition is -log of the share of the first", "[train][competition_loss]") {
  const std::vector<float> outputs = {std::log(2.0F), 0, 0, 0, 0, std::log(2.0F)};
  CHECK(competition_loss(outputs, 3) == Approx(-(std::log(0.5) + std::log(0.25)) / 2));
  const std::vector<float> large = {1e4F, -1e4F};
  CHECK(competition_loss(large, 2) == Approx(0).margin(1e-12));
}

TEST_CASE("the derivatives of a competition are those of its loss", "[train][competition_loss]") {
  constexpr std::size_t kGroup = 3;
  constexpr float kStep = 1e-2F;
  std::vector<float> outputs = {0.3F, -1.2F, 0.8F, -0.5F, 0.1F, 2.0F};
  std::vector<float> gradient(outputs.size()), curvature(outputs.size());
  competition_loss(outputs, kGroup, gradient, curvature);
  const auto groups = static_cast<double>(outputs.size() / kGroup);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const float kept = outputs[i];
    outputs[i] = kept + kStep;
    const double above = competition_loss(outputs, kGroup);
    outputs[i] = kept - kStep;
    const double below = competition_loss(outputs, kGroup);
    outputs[i] = kept;
    CHECK(gradient[i] == Approx(groups * (above - below) / (2 * static_cast<double>(kStep))).epsilon(1e-3));
    const double second = groups * (above - 2 * competition_loss(outputs, kGroup) + below) /
                          (static_cast<double>(kStep) * static_cast<double>(kStep));
    CHECK(curvature[i] == Approx(2 * second).epsilon(1e-2));
  }
}
