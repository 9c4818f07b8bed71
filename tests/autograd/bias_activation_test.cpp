#include "edgewise/autograd/bias_activation.hpp"

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

constexpr Rectifier kRectifiers[] = {Rectifier::none, Rectifier::relu, Rectifier::leaky_relu, Rectifier::elu};

Variable activate(Variable x, Rectifier f) {
  switch (f) {
    case Rectifier::none: return x;
    case Rectifier::relu: return relu(x);
    case Rectifier::leaky_relu: return leaky_relu(x);
    case Rectifier::elu: return elu(x);
  }
  return x;
}

}  // namespace

TEST_CASE("bias, activation and dropout in one pass equal three passes", "[autograd][bias_activation]") {
  for (const Rectifier f : kRectifiers)
    for (const float probability : {0.0F, 0.6F})
      for (const Eigen::Index columns : {1, 7, 8, 16, 17, 64}) {
        CAPTURE(static_cast<int>(f), probability, columns);
        const Matrix x = test::random_matrix(300, columns, 1, -2, 2), bias = test::random_matrix(1, columns, 2);
        Tape tape;
        const Variable in = tape.constant(x), row = tape.constant(bias);
        const Matrix with_bias = dropout(activate(add_row(in, row), f), probability, 9).value();
        const Matrix without = dropout(activate(in, f), probability, 9).value();
        CHECK((bias_activation(in, row, f, {probability, 9}).value() - with_bias).cwiseAbs().maxCoeff() < 1e-6F);
        CHECK((bias_activation(in, {}, f, {probability, 9}).value() - without).cwiseAbs().maxCoeff() < 1e-6F);
      }
}

TEST_CASE("gradients of bias and activation match central differences", "[autograd][bias_activation]") {
  for (const Rectifier f : kRectifiers)
    for (const float probability : {0.0F, 0.4F}) {
      const Matrix x = test::random_matrix_off_zero(40, 13, 1, 0.2F);  // stays away from zero after adding the bias
      const Matrix bias = test::random_matrix(1, 13, 2, -0.1, 0.1);
      test::check_gradient(
          [&](Tape&, Variables v) { return bias_activation(v[0], v[1], f, {probability, 9}); }, {x, bias});
      test::check_gradient(
          [&](Tape&, Variables v) { return bias_activation(scale(v[0], 1), {}, f, {probability, 9}); }, {x});
    }
}

TEST_CASE("bias and activation keep NaN", "[autograd][bias_activation]") {
  const Matrix x = Matrix::Constant(2, 20, std::nanf("")), row = x.row(0);
  for (const Rectifier f : kRectifiers) {
    Tape tape;
    CHECK(bias_activation(tape.constant(x), tape.constant(row), f).value().array().isNaN().all());
  }
}

TEST_CASE("bias and activation have the same bits at any number of threads", "[autograd][bias_activation]") {
  const int before = threads();
  Parameter x("x", test::random_matrix(3000, 12, 1)), bias("bias", test::random_matrix(1, 12, 2));
  Matrix gradients[2];
  for (int i = 0; i < 2; ++i) {
    set_threads(1 + 2 * i);
    bias.gradient.setZero();
    Tape tape;
    tape.backward(sum(bias_activation(tape.parameter(x), tape.parameter(bias), Rectifier::elu, {0.5F, 3})));
    gradients[i] = bias.gradient;
  }
  set_threads(before);
  CHECK(gradients[0] == gradients[1]);
}
