#include "edgewise/data/feature_overlaps.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/random_ties.hpp"

using namespace edgewise;
using Eigen::Index;

namespace {

/// Mostly zeros; the last row has none but these.
Matrix words(Index rows, Index columns) {
  Random random(3, Stream::generate);
  Matrix dense = Matrix::Zero(rows, columns);
  for (Index row = 0; row + 1 < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      if (random.below(4) == 0) dense(row, column) = static_cast<float>(1 + random.below(3));
  return dense;
}

float cosine(const Matrix& rows, Index u, Index v) {
  const float lengths = rows.row(u).norm() * rows.row(v).norm();
  return lengths > 0 ? rows.row(u).dot(rows.row(v)) / lengths : 0;
}

}  // namespace

TEST_CASE("Overlaps agree with dense matrices", "[data][feature_overlaps]") {
  constexpr std::size_t kNodes = 50;
  const Matrix dense = words(kNodes, 12), has = (dense.array() > 0).cast<float>();
  const data::FeatureOverlaps overlaps(dense.sparseView());
  const Eigen::RowVectorXf weights = ((1.0F + kNodes) / (1 + has.colwise().sum().array())).log();
  const Matrix weighed = dense * weights.asDiagonal(), has_weighed = has * weights.asDiagonal();
  const test::TieLists pairs = test::all_pairs(kNodes);
  const Matrix found = overlaps.of(pairs.sources, pairs.targets);
  REQUIRE(found.cols() == 4);
  for (Index i = 0; i < found.rows(); ++i) {
    const Index u = pairs.sources[static_cast<std::size_t>(i)], v = pairs.targets[static_cast<std::size_t>(i)];
    const Eigen::RowVector4f expected(cosine(dense, u, v), cosine(weighed, u, v), has.row(u).dot(has.row(v)),
                                      has_weighed.row(u).dot(has_weighed.row(v)));
    CHECK((found.row(i) - expected).cwiseAbs().maxCoeff() < 1e-4F);
  }
  CHECK(found == overlaps.of(pairs.targets, pairs.sources));
  const int before = threads();
  set_threads(1);
  CHECK(found == overlaps.of(pairs.sources, pairs.targets));
  set_threads(before);
}

TEST_CASE("Overlaps are refused for nodes that do not exist", "[data][feature_overlaps]") {
  const data::FeatureOverlaps overlaps(words(5, 4).sparseView());
  const std::vector<graph::Node> known = {0, 4}, unknown = {1, 5}, few = {0};
  CHECK_THROWS_AS(overlaps.of(known, unknown), UsageError);
  CHECK_THROWS_AS(overlaps.of(unknown, known), UsageError);
  CHECK_THROWS_AS(overlaps.of(known, few), UsageError);
}
