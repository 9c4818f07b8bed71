#include "edgewise/train/baselines/kernel_baseline.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/range.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Eigen::Index;
using Eigen::MatrixXd;
using graph::Node;
using test::range;

namespace {

constexpr Index kRows = 40;
constexpr std::size_t kTrain = 25;

Matrix random_values(Index rows, Index columns) {
  Random random(3, Stream::generate);
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<float>(random.uniform() * 4 - 2);
  return values;
}

/// y = sin(x0) + x1^2, which no linear model of x can learn.
data::Labels curve(const Matrix& x) {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.names = {"y"};
  labels.targets.resize(x.rows(), 1);
  for (Index i = 0; i < x.rows(); ++i) labels.targets(i, 0) = std::sin(x(i, 0)) + x(i, 1) * x(i, 1);
  return labels;
}

MatrixXd naive_gaussian(const Matrix& x, double width) {
  MatrixXd kernel(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j)
      kernel(i, j) = std::exp(-width * (x.row(i) - x.row(j)).cast<double>().squaredNorm() / x.cols());
  return kernel;
}

}  // namespace

TEST_CASE("the Tanimoto similarity of counts", "[train][kernel_baseline]") {
  Matrix counts(4, 3);
  counts << 2, 1, 0, /**/ 1, 1, 3, /**/ 2, 1, 0, /**/ 0, 0, 0;
  SparseMatrix sparse = counts.sparseView();
  sparse.makeCompressed();
  const Kernel kernel = tanimoto_kernel(sparse);
  double row[4];
  kernel.fill(0, 0, 4, row);
  CHECK(row[0] == 1);
  CHECK(row[1] == Approx(2.0 / 6.0));  // min 1 + 1, max 2 + 1 + 3
  CHECK(row[2] == 1);
  CHECK(row[3] == 0);
  kernel.fill(3, 2, 4, row);
  CHECK(row[0] == 0);
  CHECK(row[1] == 1);  // two empty rows
}

TEST_CASE("features of a kernel reproduce the kernel", "[train][kernel_baseline]") {
  const Matrix x = random_values(kRows, 3);
  const Kernel kernel = gaussian_kernel(x, 0.7);
  const data::Features all = kernel_features(kernel, range(0, kRows), kRows).features;
  const MatrixXd factor = all.dense.cast<double>();
  CHECK((factor * factor.transpose() - naive_gaussian(x, 0.7)).cwiseAbs().maxCoeff() < 1e-5);
  // The similarity to training rows does not depend on the other rows.
  const std::vector<Node> train = range(0, kTrain);
  const MatrixXd some = kernel_features(kernel, train, 100).features.dense.cast<double>();
  CHECK(some.cols() <= static_cast<Index>(kTrain));
  const MatrixXd left = (some * some.transpose() - naive_gaussian(x, 0.7)).leftCols(kTrain);
  CHECK(left.cwiseAbs().maxCoeff() < 2e-3);
  CHECK(kernel_features(kernel, train, 4).pivots.size() == 4);

  Matrix twins(6, 2);
  twins << 0, 1, /**/ 0, 1, /**/ 2, 0, /**/ 2, 0, /**/ 0, 1, /**/ 5, 5;
  CHECK(kernel_features(gaussian_kernel(twins, 1), range(0, 5), 5).features.dense.cols() == 2);
}

TEST_CASE("kernel ridge regression equals its closed form", "[train][kernel_baseline]") {
  const Matrix x = random_values(kRows, 2);
  const data::Labels labels = curve(x);
  const Kernel kernel = gaussian_kernel(x, 1.5);
  constexpr double kPenalty = 0.1;
  const LinearBaseline fitted =
      fit_kernel_baseline({&kernel, 1}, labels, range(0, kTrain), range(kTrain, 32), {.penalties = {kPenalty}}).linear;
  // Ridge regression with an unpenalised intercept: both sides of the kernel are centred.
  const auto n = static_cast<Index>(kTrain);
  const MatrixXd k = naive_gaussian(x, 1.5), train = k.topLeftCorner(n, n);
  const MatrixXd centring = MatrixXd::Identity(n, n) - MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  const Eigen::VectorXd y = labels.targets.col(0).head(n).cast<double>();
  const Eigen::VectorXd weights =
      (centring * train * centring + kPenalty * MatrixXd::Identity(n, n)).ldlt().solve((y.array() - y.mean()).matrix());
  const MatrixXd rows = (k.leftCols(n).rowwise() - train.colwise().mean()) * centring;
  const Eigen::VectorXd expected = (rows * weights).array() + y.mean();
  CHECK((fitted.predictions.col(0).cast<double>() - expected).cwiseAbs().maxCoeff() < 2e-3);
}

TEST_CASE("the kernel is chosen on the validation rows", "[train][kernel_baseline]") {
  const Matrix x = random_values(200, 2);
  const data::Labels labels = curve(x);
  const std::vector<Node> train = range(0, 120), validation = range(120, 160);
  const Kernel kernels[] = {gaussian_kernel(x, 1e4), gaussian_kernel(x, 1), gaussian_kernel(x, 1e-4)};
  const KernelBaseline chosen = fit_kernel_baseline(kernels, labels, train, validation);
  CHECK(chosen.kernel == 1);
  const LinearBaseline& best = chosen.linear;
  const LinearBaseline middle = fit_kernel_baseline({&kernels[1], 1}, labels, train, validation).linear;
  CHECK(best.predictions == middle.predictions);
  CHECK((best.predictions - labels.targets).bottomRows(40).cwiseAbs().maxCoeff() < 0.3);
  CHECK_THROWS_AS(fit_kernel_baseline({}, labels, train, validation), UsageError);
}

TEST_CASE("kernels give class probabilities, with the same bits at any number of threads", "[train][kernel_baseline]") {
  const Matrix x = random_values(600, 2);
  data::Labels labels;
  labels.names = {"inside", "outside"};
  for (Index i = 0; i < x.rows(); ++i) labels.classes.push_back(x.row(i).norm() > 1.5);
  const Kernel kernel = gaussian_kernel(x, 1);
  const auto fit = [&] {
    return fit_kernel_baseline({&kernel, 1}, labels, range(0, 400), range(400, 500)).linear.predictions;
  };
  const int before = threads();
  set_threads(1);
  const Matrix one = fit();
  set_threads(2);
  const Matrix two = fit();
  set_threads(before);
  CHECK(one == two);
  Index right = 0;
  for (Index i = 500; i < 600; ++i) {
    CHECK(one.row(i).sum() == Approx(1));
    right += (one(i, 1) > 0.5F) == (labels.classes[static_cast<std::size_t>(i)] == 1);
  }
  CHECK(right >= 93);
}
