#include "edgewise/autograd/segment_max.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

TEST_CASE("segment_max takes the maximum of each column of each graph", "[autograd][segment_max]") {
  const std::vector<graph::Node> offsets = {0, 2, 2, 5};
  const graph::FrozenGraph mask = graph::readout_mask(offsets);
  Matrix x(5, 2);
  x << -3, 5, -1, 2, 0, -7, 4, -9, 4, -8;
  Tape tape(false);
  const Variable y = segment_max(mask, tape.constant(x));
  Matrix expected(3, 2);
  expected << -1, 5, 0, 0, 4, -7;  // the graph in the middle has no nodes
  CHECK(y.value() == expected);
}

TEST_CASE("segment_max gives its gradient to the first of equal maxima", "[autograd][segment_max]") {
  const std::vector<graph::Node> offsets = {0, 3};
  const graph::FrozenGraph mask = graph::readout_mask(offsets);
  Parameter x("x", Matrix::Constant(3, 1, 2));
  Tape tape;
  const Matrix one = Matrix::Ones(1, 1);
  tape.backward(test::weighted_sum(segment_max(mask, tape.parameter(x)), one));
  CHECK(x.gradient(0, 0) == 1);
  CHECK(x.gradient.sum() == 1);
}

TEST_CASE("segment_max has the correct gradient", "[autograd][segment_max]") {
  const std::vector<graph::Node> offsets = {0, 1, 1, 9, 20};
  const graph::FrozenGraph mask = graph::readout_mask(offsets);
  // Values in a column differ by at least 0.1, so that no step of the checker changes which one is the largest.
  Matrix x(20, 3);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = 0.1F * static_cast<float>((i * 37) % 61);
  test::check_gradient([&](Tape&, std::span<const Variable> in) { return segment_max(mask, in[0]); }, {x},
                       {.step = 0.01});
}

TEST_CASE("segment_max lets a NaN through", "[autograd][segment_max]") {
  const std::vector<graph::Node> offsets = {0, 3};
  const graph::FrozenGraph mask = graph::readout_mask(offsets);
  Matrix x = Matrix::Ones(3, 1);
  x(1, 0) = NAN;
  Tape tape(false);
  CHECK(std::isnan(segment_max(mask, tape.constant(x)).value()(0, 0)));
}
