#include "edgewise/autograd/batch_norm.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("batch_norm updates its running moments and uses them in evaluation", "[autograd][batch_norm]") {
  Tape tape;
  Matrix x(2, 1);
  x << 1, 3;
  const Matrix gain = Matrix::Constant(1, 1, 2), bias = Matrix::Constant(1, 1, 1);
  Matrix mean = Matrix::Zero(1, 1), variance = Matrix::Ones(1, 1);
  const auto run = [&](bool is_training) {
    return batch_norm(tape.constant(x), tape.constant(gain), tape.constant(bias), mean, variance,
                      {.epsilon = 0, .is_training = is_training});
  };
  const Variable trained = run(true);
  CHECK(trained.value()(0, 0) == Approx(-1));
  CHECK(trained.value()(1, 0) == Approx(3));
  CHECK(mean(0, 0) == Approx(0.2));               // 0.9 * 0 + 0.1 * 2
  CHECK(variance(0, 0) == Approx(0.9 + 0.1 * 2));  // unbiased: ((1)^2 + (1)^2) / 1
  const Matrix mean_before = mean;
  const Variable evaluated = run(false);
  CHECK(evaluated.value()(1, 0) == Approx(2 * (3 - 0.2) / std::sqrt(1.1) + 1));
  CHECK(mean == mean_before);
}

TEST_CASE("batch_norm of one row or none stays finite", "[autograd][batch_norm]") {
  for (const Eigen::Index rows : {0, 1}) {
    Tape tape;
    Parameter x("x", Matrix::Constant(rows, 2, 3)), gain("g", Matrix::Ones(1, 2)), bias("b", Matrix::Zero(1, 2));
    Matrix mean = Matrix::Zero(1, 2), variance = Matrix::Ones(1, 2);
    const Variable y = batch_norm(tape.parameter(x), tape.parameter(gain), tape.parameter(bias), mean, variance,
                                  {.is_training = true});
    const Matrix weights = Matrix::Ones(rows, 2);
    tape.backward(test::weighted_sum(y, weights));
    CHECK(y.value().allFinite());
    CHECK(x.gradient.allFinite());
    CHECK(mean.allFinite());
    CHECK(variance == Matrix::Ones(1, 2));
  }
}

TEST_CASE("gradients of batch_norm match central differences", "[autograd][batch_norm]") {
  for (const bool is_training : {true, false}) {
    const auto build = [=](Tape&, Variables v) {
      Matrix mean = Matrix::Constant(1, v[0].cols(), 0.1F), variance = Matrix::Constant(1, v[0].cols(), 0.7F);
      return batch_norm(v[0], v[1], v[2], mean, variance, {.is_training = is_training});
    };
    test::check_gradient(build,
                         {test::random_matrix(11, 6, 1), test::random_matrix(1, 6, 2), test::random_matrix(1, 6, 3)});
    test::check_gradient(build,
                         {test::random_matrix(700, 2, 1), test::random_matrix(1, 2, 2), test::random_matrix(1, 2, 3)});
  }
}
