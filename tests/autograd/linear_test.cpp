#include "edgewise/autograd/linear.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/random.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using namespace edgewise::test;

namespace {

SparseMatrix random_sparse(Eigen::Index rows, Eigen::Index cols, double density) {
  Random random(3, Stream::generate);
  SparseMatrix sparse(rows, cols);
  for (Eigen::Index r = 1; r < rows; ++r)  // the first row has nothing
    for (Eigen::Index c = 0; c < cols; ++c)
      if (random.uniform() < density) sparse.insert(r, c) = static_cast<float>(random.uniform(-1, 1));
  sparse.makeCompressed();
  return sparse;
}

}  // namespace

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

TEST_CASE("sparse linear equals the dense product", "[autograd][linear]") {
  const Eigen::Index width = GENERATE(1, 7, 8, 64, 100);
  const SparseMatrix sparse = random_sparse(50, 30, 0.2);
  const SparseInput input(sparse);
  const Matrix weight = random_matrix(30, width, 2), bias = random_matrix(1, width, 3);
  Tape tape(false);
  const Variable out = sparse_linear(input, sparse.valuePtr(), tape.constant(weight), tape.constant(bias));
  const Matrix expected = (Matrix(sparse) * weight).rowwise() + bias.row(0);
  CHECK(out.value().isApprox(expected, 1e-5F));
  check_gradient(
      [&](Tape&, std::span<const Variable> in) { return sparse_linear(input, sparse.valuePtr(), in[0], in[1]); },
      {weight, bias});
}

TEST_CASE("sparse dropout keeps the expectation", "[autograd][linear]") {
  const SparseMatrix sparse = random_sparse(400, 300, 0.2);
  const SparseInput input(sparse);
  Tape tape(false);
  const float* dropped = sparse_dropout(tape, input, sparse.valuePtr(), 0.6F, 12);
  double kept = 0;
  for (Eigen::Index i = 0; i < sparse.nonZeros(); ++i) {
    if (dropped[i] == 0) continue;
    ++kept;
    CHECK(dropped[i] == Approx(sparse.valuePtr()[i] / 0.4F));
  }
  CHECK(kept / static_cast<double>(sparse.nonZeros()) == Approx(0.4).margin(0.02));
}
