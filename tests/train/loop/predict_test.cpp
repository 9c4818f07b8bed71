#include "edgewise/train/loop/predict.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using data::Task;

TEST_CASE("outputs become probabilities or values", "[train][predict]") {
  Matrix outputs(2, 2);
  outputs << 0, 0, 100, -1000;
  const Matrix softmax = train::to_predictions(Task::classification, outputs, {});
  CHECK(softmax(0, 0) == 0.5F);
  CHECK(softmax(1, 0) == 1);
  CHECK(softmax(1, 1) == 0);
  const Matrix sigmoid = train::to_predictions(Task::multilabel, outputs, {});
  CHECK(sigmoid(0, 1) == 0.5F);
  CHECK(sigmoid(1, 0) == 1);
  CHECK(sigmoid(1, 1) == 0);
  Matrix targets(2, 1);
  targets << 10, 30;
  const std::vector<graph::Node> nodes = {0, 1};
  const auto scaler = data::TargetScaler::fit(targets, nodes);
  CHECK(train::to_predictions(Task::regression, Matrix::Ones(1, 1), scaler)(0, 0) == Approx(30));
  CHECK(train::to_predictions(Task::classification, Matrix(0, 3), {}).rows() == 0);
}
