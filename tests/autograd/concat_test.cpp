#include "edgewise/autograd/concat.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("concat_columns joins parts side by side and slice_columns takes them out", "[autograd][concat]") {
  Tape tape;
  const Matrix a = test::random_matrix(4, 2, 1), b = test::random_matrix(4, 3, 2);
  const Variable parts[] = {tape.constant(a), tape.constant(b)};
  const Variable y = concat_columns(parts);
  CHECK(y.value().leftCols(2) == a);
  CHECK(y.value().rightCols(3) == b);
  CHECK(slice_columns(y, 2, 3).value() == b);
}

TEST_CASE("concat_columns joins more parts than a closure holds", "[autograd][concat]") {
  std::vector<Matrix> parts;
  for (int i = 0; i < 37; ++i) parts.push_back(test::random_matrix(3, 1 + i % 2, i));
  test::check_gradient([](Tape&, Variables v) { return concat_columns(v); }, parts, {.samples = 2});
  Tape tape;
  std::vector<Variable> variables;
  for (const Matrix& part : parts) variables.push_back(tape.constant(part));
  const Variable y = concat_columns(variables);
  REQUIRE(y.cols() == 55);
  CHECK(y.value().rightCols(1) == parts.back());
  CHECK(y.value().leftCols(1) == parts.front());
}

TEST_CASE("gradients of concat match central differences", "[autograd][concat]") {
  const Matrix a = test::random_matrix(5, 4, 1), b = test::random_matrix(5, 3, 2);
  test::check_gradient([](Tape&, Variables v) { return concat_columns(v); }, {a, b, a});
  test::check_gradient([](Tape&, Variables v) { return slice_columns(v[0], 1, 2); }, {a});
}
