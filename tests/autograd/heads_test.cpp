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
  // Widths that have code of their own, and some that have not.
  for (const auto& [heads, width] : {std::pair{1, 15}, {3, 5}, {2, 4}, {3, 8}, {2, 16}, {1, 32}}) {
    const Matrix x = test::random_matrix(300, heads * width, 1), vector = test::random_matrix(1, heads * width, 2);
    test::check_gradient([h = heads](Tape&, Variables v) { return head_dot(v[0], v[1], h); }, {x, vector});
    test::check_gradient([h = heads](Tape&, Variables v) { return mean_over_heads(v[0], h); }, {x});
  }
}
