#include "edgewise/autograd/consistency.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

float consistency_of(const std::vector<Matrix>& logits, float temperature) {
  Tape tape;
  std::vector<Variable> passes;
  for (const Matrix& pass : logits) passes.push_back(tape.constant(pass));
  return consistency(passes, temperature).value()(0, 0);
}

}  // namespace

TEST_CASE("consistency, by hand", "[autograd][consistency]") {
  Matrix even(1, 2), sure(1, 2);
  even << 0, 0;
  sure << std::log(3.0F), 0;
  // Means of (1/2, 1/2) and (3/4, 1/4): (5/8, 3/8); squared, and divided by the sum of the squares: (25/34, 9/34).
  const double from_even = 2 * std::pow(0.5 - 25.0 / 34, 2), from_sure = 2 * std::pow(0.75 - 25.0 / 34, 2);
  CHECK(consistency_of({even, sure}, 0.5F) == Approx((from_even + from_sure) / 2));
  CHECK(consistency_of({even, sure}, 1) == Approx(2 * std::pow(1.0 / 8, 2)));
  CHECK(consistency_of({sure, sure}, 1) == Approx(0).margin(1e-12));
  CHECK(consistency_of({Matrix(0, 2), Matrix(0, 2)}, 1) == 0);
}

TEST_CASE("consistency stays finite for large logits and small temperatures, and keeps NaN",
          "[autograd][consistency]") {
  Matrix high(2, 3);
  high << 1000, -1000, 0, -500, 300, 300;
  CHECK(std::isfinite(consistency_of({high, -high}, 0.01F)));
  high(0, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(consistency_of({high, high}, 0.5F)));
}

// At temperature 1 the distances are least at the mean itself: the derivative by the target, which is left out, is 0.
TEST_CASE("gradients of consistency match central differences", "[autograd][consistency]") {
  for (const Eigen::Index classes : {1, 2, 4, 9}) {
    const auto logits = [&](std::uint64_t seed) { return test::random_matrix(300, classes, seed, -3, 3); };
    test::check_gradient([](Tape&, Variables passes) { return scale(consistency(passes, 1), 100); },
                         {logits(1), logits(2), logits(3)});
  }
}

TEST_CASE("consistency and its gradients have the same bits at any number of threads", "[autograd][consistency]") {
  const std::vector<Matrix> logits = {test::random_matrix(20000, 5, 1, -3, 3), test::random_matrix(20000, 5, 2, -3, 3)};
  const int before = threads();
  float results[2];
  Matrix gradients[2];
  for (int i = 0; i < 2; ++i) {
    set_threads(1 + 2 * i);
    results[i] = consistency_of(logits, 0.5F);
    Tape tape;
    Parameter first("first", logits[0]);
    const Variable passes[] = {tape.parameter(first), tape.constant(logits[1])};
    tape.backward(consistency(passes, 0.5F));
    gradients[i] = first.gradient;
  }
  set_threads(before);
  CHECK(results[0] == results[1]);
  CHECK(gradients[0] == gradients[1]);
  CHECK(gradients[0].row(19999).norm() > 0);
}

TEST_CASE("consistency refuses no passes, too many, other shapes and temperatures of 0", "[autograd][consistency]") {
  const Matrix two(2, 3), three(3, 3);
  CHECK_THROWS_WITH(consistency_of({}, 1), "consistency: expected 1 to 8 passes, got 0");
  CHECK_THROWS_WITH(consistency_of(std::vector<Matrix>(9, two), 1), "consistency: expected 1 to 8 passes, got 9");
  CHECK_THROWS_WITH(consistency_of({two, three}, 1), "consistency: logits has shape [3, 3], expected [2, 3]");
  CHECK_THROWS_WITH(consistency_of({two, two}, 0), "consistency: expected a temperature above 0, got 0");
}
