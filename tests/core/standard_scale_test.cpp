#include "edgewise/core/standard_scale.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using edgewise::StandardScale;

TEST_CASE("numbers are scaled by the deviation of their logarithms", "[core][standard_scale]") {
  const float e = std::exp(1.0F) - 1;  // log(1 + e) = 1
  const std::vector<float> values = {-e, e, std::numeric_limits<float>::quiet_NaN(), -e, e};
  const StandardScale scale = StandardScale::fit(values);
  CHECK(scale.mean == Approx(0).margin(1e-7));
  CHECK(scale.scale == Approx(1));
  CHECK(scale(e) == Approx(1));
  CHECK(scale(-e) == Approx(-1));
  CHECK(scale(1e9F) == 5);
  CHECK(scale(-1e9F) == -5);
  CHECK(scale(std::numeric_limits<float>::quiet_NaN()) == 0);
  CHECK(scale(std::numeric_limits<float>::infinity()) == 0);
}

TEST_CASE("numbers that are constant or all unknown become 0", "[core][standard_scale]") {
  const std::vector<float> same = {7, 7, 7}, unknown = {std::numeric_limits<float>::quiet_NaN()};
  for (const auto& values : {same, unknown, std::vector<float>()}) {
    const StandardScale scale = StandardScale::fit(values);
    CHECK(scale.scale == 0);
    CHECK(scale(7) == 0);
    CHECK(scale(8) == 0);
  }
}
