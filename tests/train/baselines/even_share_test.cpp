#include "edgewise/train/baselines/even_share.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("an even share leaves no probability at 0 or 1, and their order as it is", "[train][even_share]") {
  Matrix probabilities(3, 4);
  probabilities << 1, 0, 0, 0, 0.25F, 0.25F, 0.25F, 0.25F, 0, 0.5F, 0.4F, 0.1F;
  const Matrix before = probabilities;
  train::share_evenly(probabilities);
  CHECK(probabilities(0, 0) == Approx(0.99925));
  CHECK(probabilities(0, 1) == Approx(0.00025));
  CHECK(probabilities(1, 2) == Approx(0.25));
  CHECK((probabilities.array() > 0 && probabilities.array() < 1).all());
  CHECK(probabilities.rowwise().sum().isApproxToConstant(1.0F));
  for (Eigen::Index a = 0; a < before.size(); ++a)
    for (Eigen::Index b = 0; b < before.size(); ++b)
      CHECK((before.data()[a] < before.data()[b]) == (probabilities.data()[a] < probabilities.data()[b]));
  Matrix none(2, 0);
  train::share_evenly(none);
  CHECK(none.size() == 0);
}
