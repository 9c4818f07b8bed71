#include "edgewise/autograd/activations.hpp"

#include <limits>

#include "edgewise/autograd/arithmetic.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using test::check_gradient;

namespace {

using Function = Variable (*)(Variable);
Variable leaky(Variable x) { return leaky_relu(x, 0.2F); }
const std::vector<Function> kAll = {relu, leaky, elu, gelu, sigmoid, autograd::tanh};

float at(Function function, float x) {
  Tape tape;
  const Matrix value = Matrix::Constant(1, 1, x);
  return function(tape.constant(value)).value()(0, 0);
}

}  // namespace

TEST_CASE("activations give known values", "[autograd][activations]") {
  CHECK(at(relu, -2) == 0);
  CHECK(at(relu, 3) == 3);
  CHECK(at(leaky, -2) == Approx(-0.4));
  CHECK(at(elu, -1) == Approx(std::exp(-1.0) - 1));
  CHECK(at(elu, 2.5F) == 2.5F);
  CHECK(at(gelu, 1) == Approx(0.8413447));
  CHECK(at(gelu, -1) == Approx(-0.1586553));
  CHECK(at(sigmoid, 0) == Approx(0.5));
  CHECK(at(autograd::tanh, 0.5F) == Approx(std::tanh(0.5)));
}

TEST_CASE("activations stay finite for large inputs and keep NaN", "[autograd][activations]") {
  for (const Function function : kAll) {
    CHECK(std::isfinite(at(function, 1e4F)));
    CHECK(std::isfinite(at(function, -1e4F)));
    CHECK(std::isnan(at(function, std::numeric_limits<float>::quiet_NaN())));
  }
}

TEST_CASE("the gradient of GELU for infinite inputs is 0 or 1, and keeps NaN", "[autograd][activations]") {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const auto gradient_at = [](float in) {
    Tape tape;
    Parameter x("x", Matrix::Constant(1, 33, in));  // whole SIMD registers, and one more
    tape.backward(sum(gelu(tape.parameter(x))));
    return x.gradient;
  };
  CHECK(gradient_at(kInfinite) == Matrix::Ones(1, 33));
  CHECK(gradient_at(-kInfinite) == Matrix::Zero(1, 33));
  CHECK(gradient_at(std::numeric_limits<float>::quiet_NaN()).array().isNaN().all());
}

TEST_CASE("gradients of activations for large inputs are 0 or normal numbers", "[autograd][activations]") {
  for (const Function function : kAll) {
    for (float in = -20; in <= 20; in += 0.125F) {
      INFO(in);
      Tape tape;
      Parameter x("x", Matrix::Constant(1, 1, in));
      tape.backward(function(tape.parameter(x)));
      const float gradient = x.gradient(0, 0);
      CHECK((gradient == 0 || std::isnormal(gradient)));
    }
  }
}

TEST_CASE("gradients of activations match central differences", "[autograd][activations]") {
  // Sizes around the width of a SIMD register. Inputs are away from zero because of the kinks.
  for (const Eigen::Index cols : {1, 7, 8, 9, 33}) {
    for (const Function function : kAll) {
      check_gradient([=](Tape&, std::span<const Variable> v) { return function(v[0]); },
                     {3 * test::random_matrix_off_zero(5, cols, 1)});
    }
  }
}
