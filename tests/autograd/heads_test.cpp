#include "edgewise/autograd/heads.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("heads: dot and mean by hand", "[autograd][heads]") {
  Matrix x(1, 4), vector(1, 4);
  x << 1, 2, 3, 4;
  vector << 1, 10, 100, 1000;
  Tape tape;
  const Variable dot = head_dot(tape.constant(x), tape.constant(vector), 2);
  CHECK(dot.value()(0, 0) == 21);
  CHECK(dot.value()(0, 1) == 4300);
  const Variable mean = mean_over_heads(tape.constant(x), 2);
  CHECK(mean.value()(0, 0) == 2);
  CHECK(mean.value()(0, 1) == 3);
}

TEST_CASE("heads have the gradients of central differences", "[autograd][heads]") {
  for (const int heads : {1, 3}) {
    const Matrix x = test::random_matrix(300, 3 * 5, 1), vector = test::random_matrix(1, 3 * 5, 2);
    test::check_gradient([=](Tape&, Variables v) { return head_dot(v[0], v[1], heads); }, {x, vector});
    test::check_gradient([=](Tape&, Variables v) { return mean_over_heads(v[0], heads); }, {x});
  }
}
