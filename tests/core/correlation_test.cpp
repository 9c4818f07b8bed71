#include "edgewise/core/correlation.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace edgewise;

TEST_CASE("correlation is of values, rank correlation of their order", "[core][correlation]") {
  const std::vector<double> x = {1, 2, 3, 4}, line = {5, 3, 1, -1}, curve = {1, 2, 4, 100}, tied = {1, 2, 2, 9};
  CHECK(correlation(x, line) == Approx(-1));
  CHECK(correlation(x, curve) < 0.9);
  CHECK(rank_correlation(x, curve) == Approx(1));
  // Ranks 0, 1.5, 1.5, 3: products 2.25 + 2.25 of squares 5 and 4.5.
  CHECK(rank_correlation(x, tied) == Approx(4.5 / std::sqrt(5 * 4.5)));
}

TEST_CASE("what does not vary is correlated with nothing", "[core][correlation]") {
  const std::vector<double> x = {1, 2, 3}, same = {2, 2, 2}, one = {1};
  CHECK(std::isnan(correlation(x, same)));
  CHECK(std::isnan(rank_correlation(same, x)));
  CHECK(std::isnan(correlation(one, one)));
  CHECK(std::isnan(rank_correlation({}, {})));
}
