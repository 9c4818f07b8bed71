#include "edgewise/autograd/sparse_linear.hpp"

#include <catch2/catch.hpp>

#include "support/gradient_check.hpp"
#include "support/random_sparse.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using namespace edgewise::test;

TEST_CASE("sparse linear equals the dense product", "[autograd][sparse_linear]") {
  const Eigen::Index width = GENERATE(1, 7, 8, 64, 100);
  const SparseMatrix sparse = random_sparse(50, 30, 0.2);
  const SparseInput input(sparse);
  const Matrix weight = random_matrix(30, width, 2), bias = random_matrix(1, width, 3);
  Tape tape(false);
  const Variable out = sparse_linear({&input}, tape.constant(weight), tape.constant(bias));
  const Matrix expected = (Matrix(sparse) * weight).rowwise() + bias.row(0);
  CHECK(out.value().isApprox(expected, 1e-5F));
  CHECK(sparse_linear({&input}, tape.constant(weight)).value().isApprox(Matrix(sparse) * weight, 1e-5F));
}

TEST_CASE("gradients of sparse linear match central differences", "[autograd][sparse_linear]") {
  const int heads = GENERATE(1, 3, 8);
  const float probability = GENERATE(0.0F, 0.5F);
  const SparseMatrix sparse = random_sparse(12, 30, 0.3);
  const SparseInput input(sparse);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return sparse_linear({&input, {probability, 7, heads}}, in[0], in[1]);
      },
      {random_matrix(30, 5 * heads, 2), random_matrix(1, 5 * heads, 3)});
}

TEST_CASE("a second dropout drops some of what the first kept", "[autograd][sparse_linear]") {
  const int heads = GENERATE(1, 2);
  const SparseMatrix sparse = random_sparse(12, 30, 0.3);
  const SparseInput input(sparse);
  const Matrix weight = random_matrix(30, 4, 2);
  const EntryDropout first{0.4F, 7}, second{0.5F, 8, heads};
  const auto kept = [](const EntryDropout& dropout, Eigen::Index element) {
    return random_bits(dropout.key, static_cast<std::uint32_t>(element)) >= dropout_threshold(dropout.probability);
  };
  Matrix expected(12, 4);
  for (int h = 0; h < heads; ++h) {
    SparseMatrix seen = sparse;
    for (Eigen::Index i = 0; i < seen.nonZeros(); ++i)
      seen.valuePtr()[i] *= kept(first, i) && kept(second, i * heads + h) ? 1 / 0.6F / 0.5F : 0.0F;
    expected.middleCols(h * 4 / heads, 4 / heads) = seen * weight.middleCols(h * 4 / heads, 4 / heads);
  }
  Tape tape;
  const auto twice = [&](Tape& on) { return sparse_dropout(on, sparse_dropout(on, {&input}, first), second); };
  CHECK(sparse_linear(twice(tape), tape.constant(weight)).value().isApprox(expected, 1e-5F));
  check_gradient([&](Tape& on, std::span<const Variable> in) { return sparse_linear(twice(on), in[0]); }, {weight});
}

TEST_CASE("sparse dropout with probability 0 is the input", "[autograd][sparse_linear]") {
  const SparseInput input(random_sparse(12, 30, 0.3));
  Tape tape;
  CHECK_FALSE(sparse_dropout(tape, {&input}, {0, 7}).dropout.is_active());
}
