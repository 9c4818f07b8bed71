#include "edgewise/autograd/heads.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("mean over heads, by hand", "[autograd][heads]") {
  Matrix x(1, 4);
  x << 1, 2, 3, 4;
  Tape tape;
  const Variable mean = mean_over_heads(tape.constant(x), 2);
  CHECK(mean.value()(0, 0) == 2);
  CHECK(mean.value()(0, 1) == 3);
}

TEST_CASE("gradients of the mean over heads match central differences", "[autograd][heads]") {
  for (const auto& [heads, width] : {std::pair{1, 15}, {3, 5}, {3, 8}, {2, 16}}) {
    const Matrix x = test::random_matrix(300, heads * width, 1);
    test::check_gradient([h = heads](Tape&, Variables v) { return mean_over_heads(v[0], h); }, {x});
  }
}
