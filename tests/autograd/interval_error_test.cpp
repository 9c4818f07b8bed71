#include "edgewise/autograd/interval_error.hpp"

#include <limits>

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

namespace {

constexpr float kNoBound = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("interval_error is 0 on the right side of a bound", "[autograd][interval_error]") {
  Tape tape;
  Matrix prediction(6, 1), lower(6, 1), upper(6, 1);
  prediction << 1, 2, 3, 4, 5, 9;
  lower << 3, 0, -kInfinite, -kInfinite, 5.5F, kNoBound;
  upper << kInfinite, kInfinite, 7, 1, 5.5F, kNoBound;
  const std::vector<std::uint32_t> nodes = {0, 1, 2, 3, 4, 5};
  CHECK(interval_error(tape.constant(prediction), lower, upper, nodes).value()(0, 0) ==
        Approx((4 + 0 + 0 + 9 + 0.25) / 5));
  CHECK(interval_error(tape.constant(prediction), lower, upper, std::span(nodes).last(1)).value()(0, 0) == 0);
  const std::vector<float> rows = {1, 1, 1, 2, 4, 1};
  CHECK(interval_error(tape.constant(prediction), lower, upper, nodes, {.rows = rows}, Penalty::huber).value()(0, 0) ==
        Approx((3 + 0 + 0 + 2 * 5 + 4 * 0.25) / 9));
  test::check_gradient(
      [&](Tape&, std::span<const Variable> v) { return interval_error(v[0], lower, upper, nodes); }, {prediction});
  test::check_gradient(
      [&](Tape&, std::span<const Variable> v) {
        return interval_error(v[0], lower, upper, nodes, {.rows = rows}, Penalty::huber);
      },
      {prediction});
}

TEST_CASE("interval_error refuses half an interval, a reversed one, and one without numbers",
          "[autograd][interval_error]") {
  Tape tape;
  const Matrix prediction = Matrix::Zero(2, 2);
  const std::vector<std::uint32_t> nodes = {0, 1};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [low, high] : {std::pair(1.0F, kNoBound), std::pair(kNoBound, 1.0F), std::pair(2.0F, 1.0F),
                                  std::pair(kInfinity, kInfinity), std::pair(-kInfinity, -kInfinity)}) {
    Matrix lower = prediction, upper = prediction;
    lower(1, 0) = low;
    upper(1, 0) = high;
    CHECK_THROWS_WITH(interval_error(tape.constant(prediction), lower, upper, nodes),
                      Catch::Matchers::Contains("in row 1, column 0"));
    CHECK(interval_error(tape.constant(prediction), lower, upper, std::span(nodes).first(1)).value()(0, 0) == 0);
  }
}
