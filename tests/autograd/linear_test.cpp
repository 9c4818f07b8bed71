#include "edgewise/autograd/linear.hpp"

#include <catch2/catch.hpp>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using namespace edgewise::test;

TEST_CASE("linear is x * weight + bias", "[autograd][linear]") {
  const Eigen::Index rows = GENERATE(0, 1, 7, 300);
  const Matrix x = random_matrix(rows, 9, 1), weight = random_matrix(9, 5, 2), bias = random_matrix(1, 5, 3);
  Tape tape(false);
  const Variable out = linear(tape.constant(x), tape.constant(weight), tape.constant(bias));
  const Matrix expected = (x * weight).rowwise() + bias.row(0);
  CHECK(out.value().isApprox(expected, 1e-5F));
  CHECK(linear(tape.constant(x), tape.constant(weight)).value().isApprox(x * weight, 1e-5F));
  check_gradient([](Tape&, std::span<const Variable> in) { return linear(in[0], in[1], in[2]); }, {x, weight, bias});
}

TEST_CASE("linear_transposed is x * weight^T + bias", "[autograd][linear]") {
  const Matrix x = random_matrix(7, 9, 1), weight = random_matrix(5, 9, 2), bias = random_matrix(1, 5, 3);
  Tape tape(false);
  const Variable out = linear_transposed(tape.constant(x), tape.constant(weight), tape.constant(bias));
  CHECK(out.value().isApprox((x * weight.transpose()).rowwise() + bias.row(0), 1e-5F));
  check_gradient([](Tape&, std::span<const Variable> in) { return linear_transposed(in[0], in[1], in[2]); },
                 {x, weight, bias});
  CHECK_THROWS_AS(linear_transposed(tape.constant(x), tape.constant(bias)), UsageError);
}

TEST_CASE("several maps of the same rows equal single linear maps, bit for bit", "[autograd][linear]") {
  const Matrix x = random_matrix(300, 9, 1), a = random_matrix(9, 5, 2), b = random_matrix(9, 5, 3),
               c = random_matrix(9, 5, 4), bias = random_matrix(1, 5, 5);
  const auto gradients = [&](bool is_one_pass) {
    Parameter in("x", x), first("a", a), second("b", b), third("c", c), row("bias", bias);
    Tape tape;
    const Variable rows = tape.parameter(in);
    const LinearFactor factors[] = {{tape.parameter(first), tape.parameter(row)},
                                    {tape.parameter(second), {}},
                                    {tape.parameter(third), {}}};
    std::array<Variable, kMaxMaps> y;
    if (is_one_pass)
      y = linear_each(rows, factors);
    else
      for (std::size_t i = 0; i < 3; ++i) y[i] = linear(rows, factors[i].weight, factors[i].bias);
    tape.backward(sum(add(multiply(y[0], y[1]), y[2])));
    return std::vector<Matrix>{in.gradient, first.gradient, second.gradient, third.gradient, row.gradient};
  };
  CHECK(gradients(true) == gradients(false));
  check_gradient(
      [](Tape&, std::span<const Variable> in) {
        const LinearFactor factors[] = {{in[1], in[4]}, {in[2], {}}, {in[3], {}}};
        const auto y = linear_each(in[0], factors);
        return add(multiply(y[0], y[1]), y[2]);
      },
      {x, a, b, c, bias});
}

TEST_CASE("each of several maps alone gives the gradients", "[autograd][linear]") {
  const std::size_t used = GENERATE(0, 1, 2);
  const Matrix x = random_matrix(20, 4, 1), a = random_matrix(4, 3, 2), b = random_matrix(4, 3, 3),
               c = random_matrix(4, 3, 4);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        const LinearFactor factors[] = {{in[1], {}}, {in[2], {}}, {in[3], {}}};
        return linear_each(in[0], factors)[used];
      },
      {x, a, b, c});
}

TEST_CASE("linear by head is one product per head of the dropped-out input", "[autograd][linear]") {
  const int width = GENERATE(3, 8);  // below and at the threshold for separate products
  const std::vector<std::uint64_t> keys = {7, 8, 9};
  const Matrix x = random_matrix(20, 9, 1), weight = random_matrix(9, 3 * width, 2);
  Tape tape(false);
  const Variable in = tape.constant(x);
  Matrix expected(20, 3 * width);
  for (int h = 0; h < 3; ++h)
    expected.middleCols(h * width, width) =
        dropout(in, 0.6F, keys[static_cast<std::size_t>(h)]).value() * weight.middleCols(h * width, width);
  CHECK(linear_by_head(in, tape.constant(weight), 0.6F, keys).value().isApprox(expected, 1e-5F));
  check_gradient([&](Tape&, std::span<const Variable> v) { return linear_by_head(v[0], v[1], 0.6F, keys); },
                 {x, weight});
  // An existing gradient is added to.
  check_gradient(
      [&](Tape&, std::span<const Variable> v) { return linear_by_head(scale(v[0], 1), v[1], 0.6F, keys); },
      {x, weight});
}
