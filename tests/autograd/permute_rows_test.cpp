#include "edgewise/autograd/permute_rows.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("permute_rows puts rows in the order given", "[autograd][permute_rows]") {
  Tape tape;
  const Matrix x = test::random_matrix(4, 3, 1);
  const std::vector<graph::Node> order = {2, 0, 3, 1};
  const Variable y = permute_rows(tape.constant(x), order);
  for (Eigen::Index i = 0; i < 4; ++i) CHECK(y.value().row(i) == x.row(order[static_cast<std::size_t>(i)]));
  CHECK(permute_rows(tape.constant(Matrix(0, 3)), {}).rows() == 0);
}

TEST_CASE("permute_rows has the gradients of central differences", "[autograd][permute_rows]") {
  const std::vector<graph::Node> order = {4, 0, 3, 1, 2};
  test::check_gradient([&](Tape&, Variables v) { return permute_rows(v[0], order); }, {test::random_matrix(5, 4, 1)});
}
