#include "edgewise/autograd/gaussian_error.hpp"

#include <cmath>
#include <limits>

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

namespace {

const float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// Of an entry, with the factor of another variance.
double loss_of(double value, double log, double target, double log_of_factor) {
  return std::exp(log_of_factor / 2) * ((value - target) * (value - target) / std::exp(log) + log) / 2;
}

}  // namespace

TEST_CASE("gaussian_error is the mean over known targets", "[autograd][gaussian_error]") {
  Tape tape(false);
  Matrix prediction(3, 2), targets(3, 1);
  prediction << 1, 0, 2, 1, 3, std::log(4.0F);
  targets << 2, kUnknown, 7;
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  CHECK(gaussian_error(tape.constant(prediction), targets, nodes).value()(0, 0) ==
        Approx((0.5 + 2 * (16 / 4.0 + std::log(4.0)) / 2) / 2));
  CHECK(gaussian_error(tape.constant(prediction), targets, std::span(nodes).subspan(1, 1)).value()(0, 0) == 0);
  const std::vector<float> rows = {1, 1, 3};
  CHECK(gaussian_error(tape.constant(prediction), targets, nodes, {.rows = rows}).value()(0, 0) ==
        Approx((0.5 + 3 * (4 + std::log(4.0))) / 4));
  CHECK_THROWS_WITH(gaussian_error(tape.constant(targets), targets, nodes), Catch::Matchers::Contains("prediction"));
}

TEST_CASE("the factor of gaussian_error is constant for its gradient", "[autograd][gaussian_error]") {
  const Matrix start = test::random_matrix(5, 4, 1);
  Matrix targets = test::random_matrix(5, 2, 2);
  targets(3, 1) = kUnknown;
  const std::vector<std::uint32_t> nodes = {0, 2, 3};
  Parameter prediction("prediction", start);
  Tape tape;
  tape.backward(gaussian_error(tape.parameter(prediction), targets, nodes));
  const double step = 1e-4;
  for (Eigen::Index row = 0; row < 5; ++row)
    for (Eigen::Index column = 0; column < 4; ++column) {
      const Eigen::Index c = column % 2;
      const bool is_known = row != 1 && row != 4 && !std::isnan(targets(row, c));
      const double value = start(row, c), log = start(row, 2 + c), of_value = column < 2 ? step : 0,
                   of_log = step - of_value;
      const auto at = [&](double sign) {
        return loss_of(value + sign * of_value, log + sign * of_log, targets(row, c), log);
      };
      const double slope = is_known ? (at(1) - at(-1)) / (2 * step) / 5 : 0;
      CHECK(prediction.gradient(row, column) == Approx(slope).margin(1e-5));
    }
}

TEST_CASE("variances of gaussian_error have bounds", "[autograd][gaussian_error]") {
  Matrix start(1, 2), targets(1, 1);
  start << 1, -100;
  targets << 1;
  Parameter prediction("prediction", start);
  const std::vector<std::uint32_t> nodes = {0};
  Tape tape;
  const Variable loss = gaussian_error(tape.parameter(prediction), targets, nodes);
  CHECK(loss.value()(0, 0) == Approx(-6 * std::exp(-6.0)));
  tape.backward(loss);
  CHECK(prediction.gradient(0, 1) == 0);
}
