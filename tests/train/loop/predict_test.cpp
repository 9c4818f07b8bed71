#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/targets/targets.hpp"

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
  const Matrix with_variance = train::to_predictions(Task::regression, Matrix::Ones(1, 2), scaler);
  CHECK(with_variance.cols() == 1);
  CHECK(with_variance(0, 0) == Approx(30));
  CHECK(train::to_predictions(Task::classification, Matrix(0, 3), {}).rows() == 0);
}

TEST_CASE("probabilities are never exactly 0 or 1", "[train][predict]") {
  Matrix outputs(1, 3);
  outputs << 0, 100, -1000;
  for (const Task task : {Task::classification, Task::multilabel}) {
    Matrix probabilities = train::to_predictions(task, outputs, {});
    train::target_of(task).clamp_predictions(probabilities);
    CHECK((probabilities.array() > 0 && probabilities.array() < 1).all());
    CHECK(probabilities(0, 1) == Approx(1));
    CHECK(probabilities(0, 2) < 1e-30F);
  }
  Matrix one = Matrix::Ones(2, 1), values = outputs;
  train::target_of(Task::classification).clamp_predictions(one);
  CHECK(one == Matrix::Ones(2, 1));
  train::target_of(Task::regression).clamp_predictions(values);
  CHECK(values == outputs);
}
