// Operations along an order: gradients, and sequences that are empty or of very different lengths.
#include "edgewise/autograd/flow_path.hpp"
#include "edgewise/autograd/lstm.hpp"
#include "edgewise/autograd/neighbourhood.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("gradients of neighbourhood match central differences", "[autograd][neighbourhood]") {
  const graph::Node offsets[] = {0, 4, 4, 5, 8};
  const graph::FrozenGraph no_edges;
  graph::FrozenGraph mask = graph::parse_mask("band:1+offset").build({.edges = no_edges, .offsets = offsets});
  test::check_gradient([&](Tape&, Variables v) { return neighbourhood(mask, v[0]); }, {test::random_matrix(8, 3, 1)});
  mask.edge_features = test::random_matrix(static_cast<Eigen::Index>(mask.slot_count()), 2, 2);
  test::check_gradient([&](Tape&, Variables v) { return neighbourhood(mask, v[0]); }, {test::random_matrix(8, 3, 1)});
  Tape tape;
  CHECK_THROWS_AS(neighbourhood(mask, tape.constant(Matrix(Matrix::Zero(7, 3)))), UsageError);
}

TEST_CASE("gradients of lstm match central differences", "[autograd][lstm]") {
  const graph::Node offsets[] = {0, 3, 3, 4, 9};
  const graph::FrozenGraph order = graph::readout_mask(offsets);
  for (const Walk walk : {Walk::forward, Walk::backward})
    test::check_gradient([&](Tape&, Variables v) { return lstm(order, v[0], v[1], walk); },
                         {test::random_matrix(9, 12, 1), test::random_matrix(3, 12, 2)});
}

TEST_CASE("gradients of lstm with a start match central differences", "[autograd][lstm]") {
  const graph::Node offsets[] = {0, 3, 3, 4, 9};
  const graph::FrozenGraph order = graph::readout_mask(offsets);
  for (const Walk walk : {Walk::forward, Walk::backward})
    test::check_gradient([&](Tape&, Variables v) { return lstm(order, v[0], v[1], walk, {v[2], v[3]}); },
                         {test::random_matrix(9, 12, 1), test::random_matrix(3, 12, 2), test::random_matrix(4, 3, 3),
                          test::random_matrix(4, 3, 4)});
}

TEST_CASE("lstm goes on from the state it ended with", "[autograd][lstm]") {
  const graph::Node whole[] = {0, 5}, start[] = {0, 3}, rest[] = {0, 2};
  const graph::FrozenGraph order = graph::readout_mask(whole), first = graph::readout_mask(start),
                           second = graph::readout_mask(rest);
  const Matrix gates = test::random_matrix(5, 8, 1), recurrent = test::random_matrix(2, 8, 2);
  const Matrix begin = gates.topRows(3), end = gates.bottomRows(2);
  Tape tape;
  const Variable map = tape.constant(recurrent);
  const Matrix all = lstm(order, tape.constant(gates), map).value();
  Matrix cells;
  const Matrix before = lstm(first, tape.constant(begin), map, Walk::forward, {}, &cells).value();
  const Matrix hidden = before.bottomRows(1), cell = cells.bottomRows(1);
  const Matrix after =
      lstm(second, tape.constant(end), map, Walk::forward, {tape.constant(hidden), tape.constant(cell)}).value();
  CHECK(before == all.topRows(3));
  CHECK(after == all.bottomRows(2));
  CHECK_THROWS_AS(lstm(first, tape.constant(begin), map, Walk::forward, {tape.constant(before)}), UsageError);
}

TEST_CASE("lstm gives zeros for rows in no sequence, and takes a row once", "[autograd][lstm]") {
  const auto order_of = [](std::vector<graph::Node> rows) {
    graph::Csr sequences;
    sequences.offsets = {0, rows.size() - 1, rows.size()};
    sequences.columns = std::move(rows);
    return graph::freeze(std::move(sequences), 5);
  };
  const Matrix gates = test::random_matrix(5, 8, 1), recurrent = test::random_matrix(2, 8, 2);
  Tape tape;
  for (int i = 0; i < 8; ++i) tape.scratch(5, 8).setConstant(7);  // what its memory holds afterwards
  tape.reset();
  Matrix cells;
  const graph::FrozenGraph some = order_of({4, 0, 2});
  const Variable y = lstm(some, tape.constant(gates), tape.constant(recurrent), Walk::forward, {}, &cells);
  for (const Eigen::Index row : {1, 3}) {
    CHECK(y.value().row(row).isZero(0));
    CHECK(cells.row(row).isZero(0));
  }
  CHECK_FALSE(cells.row(2).isZero(0));
  for (const graph::FrozenGraph& twice : {order_of({4, 0, 4}), order_of({3, 3, 1})})
    CHECK_THROWS_WITH(lstm(twice, tape.constant(gates), tape.constant(recurrent)),
                      Catch::Matchers::Contains("expected each row once at most, got row"));
}

TEST_CASE("lstm treats each sequence as if alone, at any number of threads", "[autograd][lstm]") {
  std::vector<graph::Node> offsets = {0};
  for (graph::Node s = 0; s < 70; ++s) offsets.push_back(offsets.back() + s % 7);
  const auto rows = static_cast<Eigen::Index>(offsets.back());
  const Matrix gates = test::random_matrix(rows, 8, 1), recurrent = test::random_matrix(2, 8, 2);
  const graph::FrozenGraph order = graph::readout_mask(offsets);
  const auto run = [&](int count) {
    const int before = threads();
    set_threads(count);
    Parameter in("in", gates), map("map", recurrent);
    Tape tape;
    const Variable y = lstm(order, tape.parameter(in), tape.parameter(map));
    const Matrix ones = Matrix::Ones(y.rows(), y.cols());
    tape.backward(test::weighted_sum(y, ones));
    set_threads(before);
    Matrix all(rows + 2, 10);
    all << y.value(), in.gradient, Matrix::Zero(2, 2), map.gradient;
    return all;
  };
  const Matrix all = run(1);
  CHECK(run(3) == all);
  for (const std::size_t s : {3U, 20U, 69U}) {
    const graph::Node alone[] = {0, offsets[s + 1] - offsets[s]};
    const graph::FrozenGraph one = graph::readout_mask(alone);
    const Matrix part = gates.middleRows(offsets[s], alone[1]);
    Tape tape;
    const Variable y = lstm(one, tape.constant(part), tape.constant(recurrent));
    CHECK((y.value() - all.block(offsets[s], 0, alone[1], 2)).cwiseAbs().maxCoeff() < 1e-6F);
  }
}

TEST_CASE("gradients of flow_path match central differences", "[autograd][flow_path]") {
  for (const Eigen::Index length : {1, 2, 5})
    test::check_gradient([&](Tape&, Variables v) { return flow_path(v[0], {v[1], v[2], v[3], v[4]}, length, 0.3F); },
                         {test::random_matrix(1, 3, 1), test::random_matrix(4, 5, 2), test::random_matrix(1, 5, 3),
                          test::random_matrix(5, 3, 4), test::random_matrix(1, 3, 5)});
}

TEST_CASE("flow_path follows a known flow: p' = 1", "[autograd][flow_path]") {
  Tape tape;
  const Matrix start = Matrix::Constant(1, 2, 3.0F), w1 = Matrix::Zero(3, 4), b1 = Matrix::Zero(1, 4),
               w2 = Matrix::Zero(4, 2), b2 = Matrix::Ones(1, 2);
  const FlowNetwork network{tape.constant(w1), tape.constant(b1), tape.constant(w2), tape.constant(b2)};
  const Variable path = flow_path(tape.constant(start), network, 4, 0.5F);
  CHECK(path.value()(3, 1) == Approx(4.5));
  CHECK_THROWS_AS(flow_path(tape.constant(start), network, 0, 0.5F), UsageError);
  CHECK_THROWS_AS(flow_path(tape.constant(start), network, 4, 0.0F), UsageError);
}
