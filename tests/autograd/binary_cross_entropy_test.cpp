#include "edgewise/autograd/binary_cross_entropy.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();

Matrix targets() {
  Matrix t(3, 2);
  t << 1, 0, kNaN, 1, 0, kNaN;
  return t;
}

}  // namespace

TEST_CASE("binary_cross_entropy, by hand", "[autograd][binary_cross_entropy]") {
  Tape tape;
  const Matrix logits = Matrix::Zero(3, 2), t = targets();
  const std::vector<std::uint32_t> nodes = {0, 1};
  const std::vector<float> weights = {5, 1};
  CHECK(binary_cross_entropy(tape.constant(logits), t, nodes).value()(0, 0) == Approx(std::log(2.0)));
  CHECK(binary_cross_entropy(tape.constant(logits), t, nodes, weights).value()(0, 0) ==
        Approx((5 + 1 + 1) * std::log(2.0) / 3));
}

TEST_CASE("binary_cross_entropy stays finite for large logits", "[autograd][binary_cross_entropy]") {
  Tape tape;
  Parameter logits("x", Matrix::Constant(3, 2, -500));
  const Matrix t = targets();
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  const Variable loss = binary_cross_entropy(tape.parameter(logits), t, nodes);
  tape.backward(loss);
  CHECK(loss.value()(0, 0) == Approx(250));
  CHECK(logits.gradient.allFinite());
}

TEST_CASE("binary_cross_entropy without known labels is 0, with no gradient", "[autograd][binary_cross_entropy]") {
  Tape tape;
  Parameter logits("x", Matrix::Ones(1, 2));
  const Matrix t = Matrix::Constant(1, 2, kNaN);
  const std::vector<std::uint32_t> nodes = {0};
  const Variable loss = binary_cross_entropy(tape.parameter(logits), t, nodes);
  tape.backward(loss);
  CHECK(loss.value()(0, 0) == 0);
  CHECK(logits.gradient.isZero());
}

TEST_CASE("gradients of binary_cross_entropy match central differences", "[autograd][binary_cross_entropy]") {
  const Matrix t = targets();
  const std::vector<std::uint32_t> nodes = {2, 0};
  const std::vector<float> weights = {2, 0.5F};
  const Matrix logits = test::random_matrix(3, 2, 1, -3, 3);
  test::check_gradient([&](Tape&, std::span<const Variable> v) { return binary_cross_entropy(v[0], t, nodes); },
                       {logits});
  test::check_gradient(
      [&](Tape&, std::span<const Variable> v) { return binary_cross_entropy(v[0], t, nodes, weights); }, {logits});
  const std::vector<float> rows = {3, 1, 0.5F}, columns = {1, 2};
  const EntryWeights entries{.rows = rows, .columns = columns};
  test::check_gradient(
      [&](Tape&, std::span<const Variable> v) { return binary_cross_entropy(v[0], t, nodes, weights, entries); },
      {logits});
}
