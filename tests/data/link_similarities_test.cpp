#include "edgewise/data/link_similarities.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"
#include "support/random_ties.hpp"

using namespace edgewise;
using Eigen::Index;

namespace {

Matrix unit(Matrix rows) {
  for (Index row = 0; row < rows.rows(); ++row)
    if (rows.row(row).norm() > 0) rows.row(row) /= rows.row(row).norm();
  return rows;
}

Matrix means(const Matrix& rows, const graph::Ties& ties) {
  Matrix result = Matrix::Zero(rows.rows(), rows.cols());
  for (graph::Node node = 0; node < ties.node_count(); ++node) {
    for (const graph::Node other : ties.neighbours(node)) result.row(node) += rows.row(other);
    if (ties.degree(node) > 0) result.row(node) /= static_cast<float>(ties.degree(node));
  }
  return result;
}

/// The mean of the ten largest products with other rows.
float density(const Matrix& rows, Index of) {
  std::vector<float> products;
  for (Index other = 0; other < rows.rows(); ++other)
    if (other != of) products.push_back(rows.row(of).dot(rows.row(other)));
  std::ranges::sort(products, std::ranges::greater());
  return std::accumulate(products.begin(), products.begin() + 10, 0.0F) / 10;
}

}  // namespace

TEST_CASE("similarities between two sides tell the ends apart", "[data][link_similarities]") {
  const graph::Ties ties = test::random_tie_lists(30, 60, 1).ties(graph::Direction::undirected);
  const Matrix own = unit(test::random_matrix(30, 6, 2));
  const Matrix mean = means(own, ties), near = unit(mean), far = unit(means(mean, ties));
  const test::TieLists pairs = test::all_pairs(30);
  const Matrix numbers = data::LinkSimilarities(own, ties).between_sides(pairs.sources, pairs.targets);
  REQUIRE(numbers.cols() == 4);
  for (Index i = 0; i < numbers.rows(); ++i) {
    const Index u = pairs.sources[static_cast<std::size_t>(i)], v = pairs.targets[static_cast<std::size_t>(i)];
    const Eigen::RowVector4f expected(own.row(u).dot(near.row(v)), near.row(u).dot(own.row(v)),
                                      near.row(u).dot(far.row(v)), far.row(u).dot(near.row(v)));
    CHECK((numbers.row(i) - expected).cwiseAbs().maxCoeff() < 1e-5F);
  }
}

TEST_CASE("similarities are the products of own rows and of means over neighbours", "[data][link_similarities]") {
  const auto direction = GENERATE(graph::Direction::directed, graph::Direction::undirected);
  const graph::Ties ties = test::random_tie_lists(40, 80, 1).ties(direction);
  const Matrix own = unit(test::random_matrix(40, 6, 2));
  const Matrix mean = means(own, ties), near = unit(mean), far = unit(means(mean, ties));
  const test::TieLists pairs = test::all_pairs(40);
  const Matrix numbers = data::LinkSimilarities(own, ties).of(pairs.sources, pairs.targets);
  REQUIRE(numbers.cols() == 13);
  const Matrix all = unit(own + near + far);
  Matrix expected(numbers.rows(), 13);
  for (Index i = 0; i < numbers.rows(); ++i) {
    const Index u = pairs.sources[static_cast<std::size_t>(i)], v = pairs.targets[static_cast<std::size_t>(i)];
    const auto both = [&](const Matrix& a, const Matrix& b) {
      return std::minmax({a.row(u).dot(b.row(v)), b.row(u).dot(a.row(v))});
    };
    const auto [on0, on1] = both(own, near);
    const auto [of0, of1] = both(own, far);
    const auto [nf0, nf1] = both(near, far);
    expected.row(i) << own.row(u).dot(own.row(v)), on0, on1, of0, of1, near.row(u).dot(near.row(v)), nf0, nf1,
        far.row(u).dot(far.row(v)), 0, 0, 0, 0;
    const float cosine = all.row(u).dot(all.row(v));
    const auto [sparser, denser] = std::minmax({density(all, u), density(all, v)});
    expected.row(i).tail(4) << cosine, cosine - denser, cosine - sparser, 2 * cosine - sparser - denser;
  }
  CHECK((numbers - expected).cwiseAbs().maxCoeff() < 1e-5F);
}

TEST_CASE("similarities do not depend on the order of ends or on threads", "[data][link_similarities]") {
  const graph::Ties ties = test::random_tie_lists(60, 200, 1).ties(graph::Direction::undirected);
  const Matrix own = unit(test::random_matrix(60, 5, 2));
  const test::TieLists pairs = test::all_pairs(60);
  const int before = threads();
  set_threads(1);
  const Matrix one = data::LinkSimilarities(own, ties).of(pairs.sources, pairs.targets);
  set_threads(2);
  CHECK(data::LinkSimilarities(own, ties).of(pairs.sources, pairs.targets) == one);
  CHECK(data::LinkSimilarities(own, ties).of(pairs.targets, pairs.sources) == one);
  set_threads(before);
}

TEST_CASE("similarities refuse rows and pairs that do not fit", "[data][link_similarities]") {
  const graph::Ties ties = test::random_tie_lists(10, 20, 1).ties(graph::Direction::undirected);
  const Matrix own = test::random_matrix(10, 2, 1), few = test::random_matrix(9, 2, 1);
  CHECK_THROWS_AS(data::LinkSimilarities(few, ties), UsageError);
  const data::LinkSimilarities similarities(own, ties);
  const std::vector<graph::Node> one = {1}, two = {1, 2}, none = {10};
  CHECK_THROWS_AS(similarities.of(one, two), UsageError);
  CHECK_THROWS_AS(similarities.of(one, none), UsageError);
}
