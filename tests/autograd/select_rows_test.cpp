#include "edgewise/autograd/select_rows.hpp"

#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("select_rows takes the given rows", "[autograd][select_rows]") {
  Tape tape;
  const Matrix x = test::random_matrix(4, 3, 1);
  const std::vector<graph::Node> rows = {3, 1};
  const Variable y = select_rows(tape.constant(x), rows);
  REQUIRE(y.rows() == 2);
  CHECK(y.value().row(0) == x.row(3));
  CHECK(y.value().row(1) == x.row(1));
  CHECK(select_rows(tape.constant(x), {}).rows() == 0);
}

TEST_CASE("gradients of select_rows match central differences", "[autograd][select_rows]") {
  const std::vector<graph::Node> rows = {4, 0, 2, 4, 4};
  test::check_gradient([&](Tape&, Variables v) { return select_rows(v[0], rows); }, {test::random_matrix(5, 4, 1)});
}

TEST_CASE("select_rows refuses rows that do not exist", "[autograd][select_rows]") {
  Tape tape;
  const Matrix x = test::random_matrix(3, 2, 1);
  const std::vector<graph::Node> beyond = {3};
  CHECK_THROWS_AS(select_rows(tape.constant(x), beyond), UsageError);
}
