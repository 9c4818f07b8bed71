#include "edgewise/train/baselines/constant_prediction.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace edgewise;

namespace {
constexpr float kMissingTarget = std::numeric_limits<float>::quiet_NaN();
}

TEST_CASE("the constant prediction has the shares of the classes it was shown", "[train][constant]") {
  data::Labels labels;
  labels.names = {"a", "b", "c"};
  labels.classes = {0, 1, 1, -1, 2, 1};
  const std::vector<graph::Node> from = {0, 1, 2, 3};
  const Matrix found = train::constant_prediction(labels, from);
  REQUIRE(found.rows() == 6);
  for (Eigen::Index row = 0; row < 6; ++row) {
    CHECK(found(row, 0) == Approx(1.0 / 3));
    CHECK(found(row, 1) == Approx(2.0 / 3));
    CHECK(found(row, 2) == 0);
  }
}

TEST_CASE("the constant prediction of numbers is their mean, column by column", "[train][constant]") {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.names = {"x", "y"};
  labels.targets.resize(3, 2);
  labels.targets << 1, kMissingTarget, 2, kMissingTarget, 6, 5;
  const std::vector<graph::Node> all = {0, 1, 2}, two = {0, 1};
  CHECK(train::constant_prediction(labels, all)(1, 0) == 3);
  CHECK(train::constant_prediction(labels, all)(0, 1) == 5);
  CHECK(std::isnan(train::constant_prediction(labels, two)(2, 1)));
}
