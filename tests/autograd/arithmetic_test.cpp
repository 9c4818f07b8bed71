#include "edgewise/autograd/arithmetic.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using test::check_gradient;
using test::random_matrix;
using Variables = std::span<const Variable>;

TEST_CASE("arithmetic, by hand", "[autograd][arithmetic]") {
  Matrix a(2, 2), b(2, 2), row(1, 2), gate(2, 1);
  a << 1, 2, 3, 4;
  b << 10, 20, 30, 40;
  row << 5, 7;
  gate << 1, 0.25F;
  Tape tape;
  Variable x = tape.constant(a), y = tape.constant(b);
  CHECK(add(x, y).value() == a + b);
  CHECK(subtract(x, y).value() == a - b);
  CHECK(multiply(x, y).value() == a.cwiseProduct(b));
  CHECK(scale(x, -2).value() == -2 * a);
  CHECK(add_row(x, tape.constant(row)).value()(1, 1) == 11);
  const Variable mixed = mix(tape.constant(gate), x, y);
  CHECK(mixed.value()(0, 1) == 2);
  CHECK(mixed.value()(1, 0) == Approx(0.25 * 3 + 0.75 * 30));
  CHECK(sum(x).value()(0, 0) == 10);
  CHECK_FALSE(sum(x).needs_gradient());
}

TEST_CASE("gradients of arithmetic match central differences", "[autograd][arithmetic]") {
  const Matrix a = random_matrix(7, 5, 1), b = random_matrix(7, 5, 2), row = random_matrix(1, 5, 3);
  check_gradient([](Tape&, Variables v) { return add(v[0], v[1]); }, {a, b});
  check_gradient([](Tape&, Variables v) { return add(v[0], v[0]); }, {a});
  check_gradient([](Tape&, Variables v) { return subtract(v[0], v[1]); }, {a, b});
  check_gradient([](Tape&, Variables v) { return multiply(v[0], v[1]); }, {a, b});
  check_gradient([](Tape&, Variables v) { return multiply(v[0], v[0]); }, {a});
  check_gradient([](Tape&, Variables v) { return scale(v[0], 3.5F); }, {a});
  check_gradient([](Tape&, Variables v) { return add_row(v[0], v[1]); }, {a, row});
  check_gradient([](Tape&, Variables v) { return mix(v[0], v[1], v[2]); }, {random_matrix(7, 1, 4), a, b});
  check_gradient([](Tape&, Variables v) { return sum(v[0]); }, {a});
  check_gradient([](Tape&, Variables v) { return add_row(v[0], v[1]); }, {random_matrix(600, 5, 1), row});
}

TEST_CASE("arithmetic takes matrices without rows", "[autograd][arithmetic]") {
  Tape tape;
  Parameter empty("x", Matrix(0, 3)), row("row", Matrix::Ones(1, 3));
  const Variable y = sum(add_row(tape.parameter(empty), tape.parameter(row)));
  tape.backward(y);
  CHECK(y.value()(0, 0) == 0);
  CHECK(row.gradient.isZero());
}

TEST_CASE("gradients that are replaced, passed on and added to match central differences", "[autograd][tape]") {
  const Matrix a = random_matrix(7, 5, 1), b = random_matrix(7, 5, 2), row = random_matrix(1, 5, 3);
  // Each operand is itself a result: its gradient has no buffer before the first use.
  check_gradient([](Tape&, Variables v) { return add(scale(v[0], 2), scale(v[1], 3)); }, {a, b});
  check_gradient(
      [](Tape&, Variables v) {
        const Variable x = scale(v[0], 2);
        return add(multiply(x, v[1]), add(x, x));
      },
      {a, b});
  check_gradient(
      [](Tape&, Variables v) {
        const Variable x = scale(v[0], 2);
        return subtract(add_row(x, v[1]), multiply(x, x));
      },
      {a, row});
}
