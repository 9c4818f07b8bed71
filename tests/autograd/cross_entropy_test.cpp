#include "edgewise/autograd/cross_entropy.hpp"

#include "edgewise/core/error.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("cross_entropy, by hand", "[autograd][cross_entropy]") {
  Tape tape;
  Matrix logits(3, 2);
  logits << 0, 0, 0, std::log(3.0F), 9, 9;
  const std::vector<std::int32_t> classes = {0, 1, -1};
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  // -log(1/2) and -log(3/4); the third is unknown.
  CHECK(cross_entropy(tape.constant(logits), classes, nodes).value()(0, 0) ==
        Approx((std::log(2.0) + std::log(4.0 / 3)) / 2));
  const std::vector<float> weights = {3, 1};
  CHECK(cross_entropy(tape.constant(logits), classes, nodes, weights).value()(0, 0) ==
        Approx((3 * std::log(2.0) + std::log(4.0 / 3)) / 4));
  const std::vector<float> rows = {2, 5, 100};
  CHECK(cross_entropy(tape.constant(logits), classes, nodes, weights, rows).value()(0, 0) ==
        Approx((6 * std::log(2.0) + 5 * std::log(4.0 / 3)) / 11));
}

TEST_CASE("cross_entropy smooths labels", "[autograd][cross_entropy]") {
  Tape tape;
  Matrix logits(1, 2);
  logits << 0, std::log(3.0F);
  const std::vector<std::int32_t> classes = {0};
  const std::vector<std::uint32_t> nodes = {0};
  // 0.8 of -log(1/4), and 0.2 of the mean of -log(1/4) and -log(3/4)
  CHECK(cross_entropy(tape.constant(logits), classes, nodes, {}, {}, 0.2F).value()(0, 0) ==
        Approx(0.9 * std::log(4.0) + 0.1 * std::log(4.0 / 3)));
  CHECK_THROWS_AS(cross_entropy(tape.constant(logits), classes, nodes, {}, {}, 1.0F), UsageError);
}

TEST_CASE("gradients of smoothed cross_entropy match central differences", "[autograd][cross_entropy]") {
  const std::vector<std::int32_t> classes = {0, 2, -1, 1};
  const std::vector<std::uint32_t> nodes = {0, 1, 2, 3};
  const std::vector<float> weights = {3, 1, 0.5F}, rows = {2, 5, 1, 3};
  test::check_gradient(
      [&](Tape&, Variables v) { return cross_entropy(v[0], classes, nodes, weights, rows, 0.3F); },
      {test::random_matrix(4, 3, 1)});
}

TEST_CASE("cross_entropy without known classes is 0, with no gradient", "[autograd][cross_entropy]") {
  Tape tape;
  Parameter logits("x", Matrix::Ones(2, 2));
  const std::vector<std::int32_t> classes = {-1, -1};
  const std::vector<std::uint32_t> nodes = {0, 1};
  for (const std::size_t count : {0, 2}) {
    const Variable loss = cross_entropy(tape.parameter(logits), classes, std::span(nodes).first(count));
    tape.backward(loss);
    CHECK(loss.value()(0, 0) == 0);
    CHECK(logits.gradient.isZero());
  }
}

TEST_CASE("cross_entropy does not overflow and propagates NaN", "[autograd][cross_entropy]") {
  Tape tape;
  Matrix logits(1, 2);
  logits << 1000, -1000;
  const std::vector<std::int32_t> classes = {1};
  const std::vector<std::uint32_t> nodes = {0};
  CHECK(cross_entropy(tape.constant(logits), classes, nodes).value()(0, 0) == Approx(2000));
  logits(0, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(cross_entropy(tape.constant(logits), classes, nodes).value()(0, 0)));
}

TEST_CASE("gradients of cross_entropy match central differences", "[autograd][cross_entropy]") {
  const std::vector<std::int32_t> classes = {0, 3, 1, -1, 2, 2};
  const std::vector<std::uint32_t> nodes = {5, 0, 3, 1};
  const std::vector<float> weights = {1, 0.5F, 2, 3};
  const Matrix logits = test::random_matrix(6, 4, 1, -3, 3);
  test::check_gradient([&](Tape&, Variables v) { return cross_entropy(v[0], classes, nodes); }, {logits});
  test::check_gradient([&](Tape&, Variables v) { return cross_entropy(v[0], classes, nodes, weights); }, {logits});
  const std::vector<float> rows = {1, 2, 0, 1, 4, 0.5F};
  test::check_gradient([&](Tape&, Variables v) { return cross_entropy(v[0], classes, nodes, weights, rows); },
                       {logits});
}
