#include "edgewise/train/loop/ensemble.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("An ensemble gives the mean and the sample standard deviation", "[train][ensemble]") {
  train::Ensemble ensemble;
  ensemble.add(Matrix::Constant(2, 1, 1));
  CHECK(ensemble.mean() == Matrix::Constant(2, 1, 1));
  CHECK(ensemble.deviation().size() == 0);
  ensemble.add(Matrix::Constant(2, 1, 3));
  ensemble.add(Matrix::Constant(2, 1, 5));
  CHECK(ensemble.mean()(1, 0) == 3);
  CHECK(ensemble.deviation()(0, 0) == 2);
}

TEST_CASE("An ensemble adds the variances that its models give", "[train][ensemble]") {
  train::Ensemble ensemble;
  ensemble.add(Matrix::Constant(1, 1, 1), Matrix::Constant(1, 1, 3));
  CHECK(ensemble.deviation()(0, 0) == 3);
  ensemble.add(Matrix::Constant(1, 1, 3), Matrix::Constant(1, 1, 5));
  CHECK(ensemble.deviation()(0, 0) == Approx(std::sqrt(2 + (9 + 25) / 2.0)));
}

TEST_CASE("The mean of one model is that model, bit for bit", "[train][ensemble]") {
  train::Ensemble ensemble;
  const Matrix values = Matrix::Random(5, 3);
  ensemble.add(values);
  CHECK(ensemble.mean() == values);
}
