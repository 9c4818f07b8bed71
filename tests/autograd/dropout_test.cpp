#include "edgewise/autograd/dropout.hpp"

#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

TEST_CASE("dropout keeps the expected share and mean", "[autograd][dropout]") {
  Tape tape;
  const Matrix ones = Matrix::Ones(500, 200);
  const Variable y = dropout(tape.constant(ones), 0.6F, 42);
  const double kept = (y.value().array() != 0).cast<double>().mean();
  // 100000 draws: the standard deviation of the share is 0.0015.
  CHECK(kept == Approx(0.4).margin(0.008));
  CHECK(y.value().maxCoeff() == Approx(2.5));
  CHECK((dropout(tape.constant(ones), 0.6F, 43).value() - y.value()).cwiseAbs().maxCoeff() > 0);
  CHECK(dropout(tape.constant(ones), 0.6F, 42).value() == y.value());
}

TEST_CASE("dropout with probability 0 is the input", "[autograd][dropout]") {
  Tape tape;
  const Matrix ones = Matrix::Ones(2, 2);
  const Variable x = tape.constant(ones);
  CHECK(dropout(x, 0, 1).value().data() == x.value().data());
}

TEST_CASE("dropout has the same bits at any number of threads", "[autograd][dropout]") {
  const Matrix x = test::random_matrix(300, 200, 1);
  const int before = threads();
  Matrix results[2];
  for (int i = 0; i < 2; ++i) {
    set_threads(1 + 2 * i);
    Tape tape;
    results[i] = dropout(tape.constant(x), 0.3F, 5).value();
  }
  set_threads(before);
  CHECK(results[0] == results[1]);
}

TEST_CASE("dropout draws the same mask in the backward pass", "[autograd][dropout]") {
  test::check_gradient([](Tape&, std::span<const Variable> v) { return dropout(v[0], 0.4F, 9); },
                       {test::random_matrix(40, 13, 1)});
}

TEST_CASE("drop_rows zeroes whole rows and scales up the others", "[autograd][dropout]") {
  Tape tape;
  const Matrix x = test::random_matrix(2000, 3, 1, 1, 2);
  const Matrix y = drop_rows(tape.constant(x), 0.6F, 42).value();
  Eigen::Index kept = 0;
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const bool is_kept = y(row, 0) != 0;
    kept += is_kept ? 1 : 0;
    const Eigen::RowVectorXf expected = is_kept ? Eigen::RowVectorXf(2.5F * x.row(row)) : Eigen::RowVectorXf::Zero(3);
    CHECK(y.row(row).isApprox(expected));
  }
  // 2000 draws: the standard deviation of the share is 0.011.
  CHECK(static_cast<double>(kept) / 2000 == Approx(0.4).margin(0.045));
  CHECK(drop_rows(tape.constant(x), 0, 42).value() == x);
}

TEST_CASE("drop_rows draws the same rows in the backward pass", "[autograd][dropout]") {
  test::check_gradient([](Tape&, std::span<const Variable> v) { return drop_rows(v[0], 0.4F, 9); },
                       {test::random_matrix(40, 13, 1)});
}
