#include "edgewise/autograd/layer_norm.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("layer_norm gives rows mean 0 and variance 1", "[autograd][layer_norm]") {
  Tape tape;
  const Matrix x = test::random_matrix(3, 64, 1, 5, 9), gain = Matrix::Ones(1, 64), bias = Matrix::Zero(1, 64);
  const Variable y = layer_norm(tape.constant(x), tape.constant(gain), tape.constant(bias));
  CHECK(y.value().row(1).mean() == Approx(0).margin(1e-5));
  CHECK(y.value().row(1).squaredNorm() / 64 == Approx(1).epsilon(1e-3));
}

TEST_CASE("layer_norm gives the bias for a constant row", "[autograd][layer_norm]") {
  Tape tape;
  const Matrix x = Matrix::Constant(1, 3, 4), gain = Matrix::Ones(1, 3), bias = Matrix::Constant(1, 3, 0.5F);
  CHECK(layer_norm(tape.constant(x), tape.constant(gain), tape.constant(bias)).value() == bias);
}

TEST_CASE("gradients of layer_norm match central differences", "[autograd][layer_norm]") {
  test::check_gradient([](Tape&, Variables v) { return layer_norm(v[0], v[1], v[2]); },
                       {test::random_matrix(5, 9, 1), test::random_matrix(1, 9, 2), test::random_matrix(1, 9, 3)});
  test::check_gradient(
      [](Tape&, Variables v) { return layer_norm(v[0], v[1], v[2]); },
      {test::random_matrix(600, 3, 1, -4, 4), test::random_matrix(1, 3, 2), test::random_matrix(1, 3, 3)});
}
