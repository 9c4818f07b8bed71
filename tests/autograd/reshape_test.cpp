#include "edgewise/autograd/reshape.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("a reshaped matrix has the same elements row by row", "[autograd][reshape]") {
  Tape tape;
  Matrix x(3, 2);
  x << 1, 2, 3, 4, 5, 6;
  Matrix expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  CHECK(reshape(tape.constant(x), 2, 3).value() == expected);
  CHECK(reshape(tape.constant(Matrix(0, 2)), 3, 0).rows() == 3);
  CHECK_THROWS_WITH(reshape(tape.constant(x), 4, 2), "reshape: expected as many elements as [4, 2] has, got [3, 2]");
}

TEST_CASE("gradients of a reshaped matrix match central differences", "[autograd][reshape]") {
  test::check_gradient([&](Tape&, Variables v) { return reshape(v[0], 2, 6); }, {test::random_matrix(4, 3, 1)});
  test::check_gradient([&](Tape&, Variables v) { return add(reshape(v[0], 3, 4), reshape(v[0], 3, 4)); },
                       {test::random_matrix(4, 3, 1)});
}
