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

TEST_CASE("each head of a sparse product has a dropout mask of its own", "[autograd][linear]") {
  const int heads = GENERATE(2, 3, 8, 11);
  const Eigen::Index width = GENERATE(3, 8);
  const SparseMatrix sparse = random_sparse(20, 600, 0.5);  // rows of more than one piece
  const SparseInput input(sparse);
  const HeadDropout dropout{heads, 0.6F, 12};
  const Matrix weight = random_matrix(600, heads * width, 2);
  Matrix expected(20, heads * width);
  double kept = 0;
  for (int h = 0; h < heads; ++h) {
    SparseMatrix seen = sparse;
    for (Eigen::Index i = 0; i < sparse.nonZeros(); ++i) {
      const auto element = static_cast<std::uint32_t>(i * heads + h);
      const bool is_kept = random_bits(dropout.key, element) >= dropout_threshold(dropout.probability);
      seen.valuePtr()[i] = is_kept ? sparse.valuePtr()[i] / 0.4F : 0.0F;
      kept += is_kept;
    }
    expected.middleCols(h * width, width) = seen * weight.middleCols(h * width, width);
  }
  Tape tape(false);
  CHECK(sparse_linear(input, sparse.valuePtr(), tape.constant(weight), {}, dropout).value().isApprox(expected, 1e-5F));
  CHECK(kept / static_cast<double>(sparse.nonZeros() * heads) == Approx(0.4).margin(0.02));
}

TEST_CASE("the gradient goes through the mask of each head", "[autograd][linear]") {
  const int heads = GENERATE(3, 8);
  const SparseMatrix sparse = random_sparse(12, 30, 0.3);
  const SparseInput input(sparse);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return sparse_linear(input, sparse.valuePtr(), in[0], in[1], {heads, 0.5F, 7});
      },
      {random_matrix(30, 5 * heads, 2), random_matrix(1, 5 * heads, 3)});
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
