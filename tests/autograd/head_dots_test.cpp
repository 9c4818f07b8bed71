#include "edgewise/autograd/head_dots.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using test::random_matrix;
using Variables = std::span<const Variable>;

TEST_CASE("head dots, by hand", "[autograd][head_dots]") {
  Matrix x(1, 4), vector(1, 4), other(1, 4), bias(1, 2);
  x << 1, 2, 3, 4;
  vector << 1, 10, 100, 1000;
  other << 1, 1, 2, 2;
  bias << 0.5F, -1;
  Tape tape;
  const HeadDots dots = head_dots(tape.constant(x), {tape.constant(vector), tape.constant(bias)},
                                  {tape.constant(other)}, 2);
  CHECK(dots.source.value()(0, 0) == 21.5F);
  CHECK(dots.source.value()(0, 1) == 4299);
  CHECK(dots.destination.value()(0, 0) == 3);
  CHECK(dots.destination.value()(0, 1) == 14);
}

TEST_CASE("head dots equal naive ones", "[autograd][head_dots]") {
  for (const auto& [heads, width] : {std::pair{1, 1}, {1, 7}, {3, 5}, {8, 3}, {8, 8}, {9, 8}, {2, 16}, {17, 9}}) {
    const Matrix x = random_matrix(300, heads * width, 1), vector = random_matrix(1, heads * width, 2);
    const Matrix bias = random_matrix(1, heads, 3);
    Matrix expected(300, heads);
    for (int h = 0; h < heads; ++h)
      expected.col(h) = (x.middleCols(h * width, width) * vector.middleCols(h * width, width).transpose()).array() +
                        bias(0, h);
    Tape tape;
    const HeadVector side{tape.constant(vector), tape.constant(bias)};
    const HeadDots dots = head_dots(tape.constant(x), side, side, heads);
    CHECK(dots.source.value().isApprox(expected, 1e-5F));
    CHECK(dots.destination.value() == dots.source.value());
  }
}

TEST_CASE("gradients of head dots match central differences", "[autograd][head_dots]") {
  for (const auto& [heads, width] : {std::pair{1, 15}, {3, 5}, {8, 8}, {2, 16}}) {
    const std::vector<Matrix> inputs = {random_matrix(300, heads * width, 1), random_matrix(1, heads * width, 2),
                                        random_matrix(1, heads, 3), random_matrix(1, heads * width, 4),
                                        random_matrix(1, heads, 5)};
    const auto dots = [h = heads](Variables v) { return head_dots(v[0], {v[1], v[2]}, {v[3], v[4]}, h); };
    test::check_gradient(
        [&](Tape&, Variables v) {
          const HeadDots y = dots(v);
          return subtract(y.source, scale(y.destination, 2));
        },
        inputs);
    // The gradient of x is replaced if it does not exist yet.
    test::check_gradient(
        [&](Tape&, Variables v) {
          const Variable x = scale(v[0], 1);
          const HeadDots y = head_dots(x, {v[1], v[2]}, {v[3], v[4]}, static_cast<int>(v[2].cols()));
          return multiply(y.source, y.destination);
        },
        inputs);
  }
}

TEST_CASE("head dots pass on the gradient of only one", "[autograd][head_dots]") {
  const std::vector<Matrix> inputs = {random_matrix(20, 6, 1), random_matrix(1, 6, 2)};
  Parameter other("other", random_matrix(1, 6, 3));
  for (const bool is_source : {true, false})
    test::check_gradient(
        [&](Tape& tape, Variables v) {
          const HeadVector unused{tape.parameter(other)};
          return is_source ? head_dots(v[0], {v[1]}, unused, 2).source : head_dots(v[0], unused, {v[1]}, 2).destination;
        },
        inputs);
  CHECK(other.gradient.isZero());
}

TEST_CASE("head dots have the same bits at any number of threads", "[autograd][head_dots]") {
  const int before = threads();
  Parameter x("x", random_matrix(3000, 12, 1)), a("a", random_matrix(1, 12, 2)), b("b", random_matrix(1, 12, 3));
  Matrix gradients[2];
  for (int i = 0; i < 2; ++i) {
    set_threads(1 + 2 * i);
    a.gradient.setZero();
    Tape tape;
    const HeadDots y = head_dots(tape.parameter(x), {tape.parameter(a)}, {tape.parameter(b)}, 3);
    tape.backward(sum(multiply(y.source, y.destination)));
    gradients[i] = a.gradient;
  }
  set_threads(before);
  CHECK(gradients[0] == gradients[1]);
}
