#include "edgewise/core/moments.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace edgewise;

TEST_CASE("moments of a few values", "[core][moments]") {
  const std::vector<double> values = {1, 2, 3, 6};  // 4, 1, 0 and 9 from the mean, squared
  const Moments moments = moments_of(values);
  CHECK(moments.mean == 3);
  CHECK(moments.deviation == Approx(std::sqrt(3.5)));
  CHECK(kurtosis(values, moments) == Approx((16 + 1 + 81) / 4.0 / (3.5 * 3.5)));
}

TEST_CASE("values that are all the same, or none, have no spread", "[core][moments]") {
  const std::vector<double> same = {2, 2};
  CHECK(kurtosis(same, moments_of(same)) == 0);
  CHECK(moments_of({}).mean == 0);
  CHECK(moments_of({}).deviation == 0);
}
