#include "edgewise/train/baselines/kernel_map.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/train/baselines/kernel_baseline.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Eigen::Index;

namespace {

constexpr Index kTableRows = 600, kCounted = 8;

Matrix random_counts() {
  Random random(5, Stream::generate);
  Matrix counts(kTableRows, kCounted);
  for (Index i = 0; i < counts.size(); ++i) counts.data()[i] = static_cast<float>(random.below(4));
  counts.col(0).array() += 1;  // no row is empty
  return counts;
}

SparseMatrix compressed(const Matrix& values) {
  SparseMatrix result = values.sparseView();
  result.makeCompressed();
  return result;
}

const std::vector<graph::Node> kSupportRows = {3, 100, 17, 599, 256};

/// The largest |f(x) . f(y) - k(x, y)| over all rows x and the rows y of the support.
float error_of(const Matrix& features, const Kernel& kernel) {
  double worst = 0;
  std::vector<double> row(static_cast<std::size_t>(kTableRows));
  for (const graph::Node y : kSupportRows) {
    kernel.fill(y, 0, row.size(), row.data());
    for (Index x = 0; x < kTableRows; ++x)
      worst = std::max(worst, std::abs(features.row(x).dot(features.row(y)) - row[static_cast<std::size_t>(x)]));
  }
  return static_cast<float>(worst);
}

}  // namespace

TEST_CASE("features of a saved kernel reproduce the similarity to its support", "[train][kernel_map]") {
  const Matrix counts = random_counts();
  const SparseMatrix all = compressed(counts);
  const Matrix some = counts(kSupportRows, Eigen::all);
  const KernelMap tanimoto = KernelMap::tanimoto(compressed(some));
  CHECK(tanimoto.is_tanimoto());
  CHECK(tanimoto.columns() == kSupportRows.size());
  CHECK(error_of(tanimoto.apply(all), tanimoto_kernel(all)) < 1e-5F);
  const KernelMap gaussian = KernelMap::gaussian(some, 0.3);
  CHECK(error_of(gaussian.apply(counts), gaussian_kernel(counts, 0.3)) < 1e-5F);

  // Equal to the features that a baseline is fitted on, in the order of its pivots.
  std::vector<graph::Node> train(100);
  std::iota(train.begin(), train.end(), graph::Node{0});
  const KernelFeatures fitted = kernel_features(tanimoto_kernel(all), train, 30);
  const KernelMap kept = KernelMap::tanimoto(compressed(counts(fitted.pivots, Eigen::all)));
  CHECK((kept.apply(all) - fitted.features.dense).cwiseAbs().maxCoeff() < 1e-4F);
}

TEST_CASE("a saved kernel is restored, with the same bits at any number of threads", "[train][kernel_map]") {
  const Matrix counts = random_counts();
  const SparseMatrix all = compressed(counts);
  const KernelMap tanimoto = KernelMap::tanimoto(compressed(counts(kSupportRows, Eigen::all)));
  const KernelMap gaussian = KernelMap::gaussian(counts(kSupportRows, Eigen::all) / 3, 0.1);
  const int before = threads();
  set_threads(1);
  const Matrix one = tanimoto.apply(all), other = gaussian.apply(counts);
  set_threads(2);
  CHECK(KernelMap::from_json(json::parse(json::dump(tanimoto.to_json()), "t")).apply(all) == one);
  CHECK(KernelMap::from_json(json::parse(json::dump(gaussian.to_json()), "t")).apply(counts) == other);
  set_threads(before);
  // Some rows give the same as among all rows, at the same position in a block.
  CHECK(tanimoto.apply(compressed(counts.bottomRows(kTableRows - 256))) == one.bottomRows(kTableRows - 256));
  CHECK(tanimoto.apply(SparseMatrix(0, kCounted)).rows() == 0);
}

TEST_CASE("further columns multiply a kernel", "[train][kernel_map]") {
  const Matrix counts = random_counts(), further = counts.rightCols(2) / 2;
  const SparseMatrix all = compressed(counts);
  const Matrix some = counts(kSupportRows, Eigen::all);
  const KernelColumns columns{.values = further(kSupportRows, Eigen::all), .width = 0.7};
  const KernelMap tanimoto = KernelMap::tanimoto(compressed(some), columns);
  CHECK(tanimoto.further_columns() == 2);
  const Kernel both = product_kernel(tanimoto_kernel(all), gaussian_kernel(further, 0.7));
  const Matrix made = tanimoto.apply(all, further);
  CHECK(error_of(made, both) < 1e-5F);
  CHECK(error_of(KernelMap::gaussian(some, 0.3, columns).apply(counts, further),
                 product_kernel(gaussian_kernel(counts, 0.3), gaussian_kernel(further, 0.7))) < 1e-5F);
  CHECK(KernelMap::from_json(json::parse(json::dump(tanimoto.to_json()), "t")).apply(all, further) == made);
  CHECK_THROWS_AS(tanimoto.apply(all), ModelError);
  CHECK_THROWS_AS(KernelMap::gaussian(some, 0.3, {.values = further, .width = 1}), ModelError);
}

TEST_CASE("a kernel leaves nothing unexplained of its support", "[train][kernel_map]") {
  const Matrix counts = random_counts();
  const KernelMap map = KernelMap::gaussian(counts(kSupportRows, Eigen::all), 0.3);
  const Matrix left = unexplained(map.apply(counts));
  for (const graph::Node row : kSupportRows) CHECK(left(row, 0) < 1e-2F);
  CHECK(left.mean() > 0.3F);
  CHECK(unexplained(map.apply(Matrix(counts.array() + 100))).minCoeff() == 1);
}

TEST_CASE("an invalid saved kernel is refused", "[train][kernel_map]") {
  const auto read = [](const char* text) { return KernelMap::from_json(json::parse(text, "t")); };
  CHECK(read(R"({"kind": "tanimoto", "columns": 4, "support": [[0, 1, 3, 2], [1, 5]]})").columns() == 2);
  for (const char* text :
       {R"({"kind": "tanimoto", "columns": 4, "support": [[0, 1, 4, 2]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[2, 1, 1, 2]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[0, 1, 2]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[0, -1]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[0.5, 1]]})",
        R"({"kind": "tanimoto", "columns": 0, "support": [[0, 1]]})",
        R"({"kind": "tanimoto", "columns": 1e300, "support": [[0, 1]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[0, 1], [0, 1]]})",
        R"({"kind": "tanimoto", "columns": 4, "support": [[], []]})",
        R"({"kind": "tanimoto", "columns": 4, "support": []})", R"({"kind": "gaussian", "width": 0, "support": [[1]]})",
        R"({"kind": "gaussian", "width": 1, "support": [[1], [1, 2]]})",
        R"({"kind": "gaussian", "width": 1, "support": [[1e300]]})", R"({"kind": "laplace", "support": []})",
        R"({})"}) {
    INFO(text);
    CHECK_THROWS_AS(read(text), ModelError);
  }
  const KernelMap map = read(R"({"kind": "gaussian", "width": 1, "support": [[1, 2], [3, 4]]})");
  CHECK_THROWS_WITH(map.apply(Matrix(Matrix::Zero(2, 3))), Contains("expected 2 columns, got 3"));
}
