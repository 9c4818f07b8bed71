#include "edgewise/autograd/linear.hpp"

#include <catch2/catch.hpp>

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
