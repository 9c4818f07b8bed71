#include "edgewise/data/link_similarities.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/random_sparse.hpp"
#include "support/random_ties.hpp"

using namespace edgewise;
using namespace edgewise::data;
using graph::Direction;
using graph::Node;
using graph::OwnTie;
using graph::Ties;

namespace {

using Table = Eigen::MatrixXd;

/// S X with rows of X of length 1, by loops.
Table smoothed(const Table& unit, const Ties& ties) {
  Table result = Table::Zero(unit.rows(), unit.cols());
  for (Node node = 0; node < ties.node_count(); ++node)
    for (const Node other : ties.neighbours(node))
      result.row(node) += unit.row(other) / std::sqrt(static_cast<double>(ties.degree(node) * ties.degree(other)));
  return result;
}

Table unit_rows_of(const Matrix& features) {
  Table unit = features.cast<double>();
  for (Eigen::Index row = 0; row < unit.rows(); ++row)
    if (unit.row(row).norm() > 0) unit.row(row).normalize();
  return unit;
}

Eigen::RowVector4d naive(const Table& unit, const Ties& ties, Node u, Node v) {
  const Table near = smoothed(unit, ties);
  const auto cosine = [](const auto& a, const auto& b) {
    return a.norm() > 0 && b.norm() > 0 ? a.dot(b) / (a.norm() * b.norm()) : 0.0;
  };
  const double to_v = cosine(unit.row(u), near.row(v)), to_u = cosine(unit.row(v), near.row(u));
  return {cosine(unit.row(u), unit.row(v)), std::min(to_v, to_u), std::max(to_v, to_u),
          cosine(near.row(u), near.row(v))};
}

void check_against_loops(const Features& features, const Matrix& dense, const test::TieLists& lists,
                         Direction direction) {
  const Ties ties = lists.ties(direction);
  const LinkSimilarities similarities(features, ties);
  const test::TieLists pairs = test::all_pairs(lists.nodes);
  const Matrix kept = similarities.of(pairs.sources, pairs.targets);
  const Matrix omitted = similarities.of(pairs.sources, pairs.targets, OwnTie::omit);
  const Table unit = unit_rows_of(dense);
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    const Node u = pairs.sources[i], v = pairs.targets[i];
    const auto row = static_cast<Eigen::Index>(i);
    CAPTURE(u, v, kept.row(row), omitted.row(row));
    CHECK((kept.row(row).cast<double>() - naive(unit, ties, u, v)).cwiseAbs().maxCoeff() < 1e-5);
    const Ties left = lists.without(u, v, direction).ties(direction);
    CHECK((omitted.row(row).cast<double>() - naive(unit, left, u, v)).cwiseAbs().maxCoeff() < 1e-5);
  }
}

}  // namespace

TEST_CASE("Similarities of features agree with loops, also without a pair's own tie", "[data][link_similarities]") {
  const test::TieLists star{.nodes = 4, .sources = {0, 0, 0}, .targets = {1, 2, 3}};
  for (const Direction direction : {Direction::directed, Direction::undirected})
    for (const test::TieLists& lists : {test::random_tie_lists(14, 22, 1), star,
                                        test::TieLists{.nodes = 2, .sources = {0}, .targets = {1}}}) {
      Features sparse, dense;  // node 0 has none
      sparse.is_sparse = true;
      sparse.sparse = test::random_sparse(static_cast<Eigen::Index>(lists.nodes), 12, 0.4);
      dense.dense = Matrix(sparse.sparse);
      check_against_loops(sparse, dense.dense, lists, direction);
      check_against_loops(dense, dense.dense, lists, direction);
    }
}

TEST_CASE("Similarities of two nodes that only know each other, by hand", "[data][link_similarities]") {
  Features features;
  features.dense = Matrix(2, 2);
  features.dense << 3, 0, 5, 5;
  const Ties ties(2, std::vector<Node>{0}, std::vector<Node>{1}, Direction::undirected);
  const LinkSimilarities similarities(features, ties);
  const auto cosine = std::sqrt(0.5F);
  const Matrix kept = similarities.of(std::vector<Node>{0}, std::vector<Node>{1});
  CHECK(kept.isApprox(Eigen::RowVector4f(cosine, 1, 1, cosine), 1e-6F));
  const Matrix omitted = similarities.of(std::vector<Node>{1}, std::vector<Node>{0}, OwnTie::omit);
  CHECK(omitted.isApprox(Eigen::RowVector4f(cosine, 0, 0, 0), 1e-6F));
}

TEST_CASE("A pair has the same similarities beside any pairs and at any number of threads",
          "[data][link_similarities]") {
  constexpr std::size_t kNodes = 120;
  const Ties ties = test::random_tie_lists(kNodes, 500, 3).ties(Direction::undirected);
  const test::TieLists pairs = test::all_pairs(kNodes);  // more than a chunk
  Features sparse, dense;
  sparse.is_sparse = true;
  sparse.sparse = test::random_sparse(kNodes, 40, 0.2);
  dense.dense = Matrix(sparse.sparse);
  for (const Features& features : {sparse, dense}) {
    const LinkSimilarities similarities(features, ties);
    const int before = threads();
    set_threads(1);
    const Matrix one = similarities.of(pairs.sources, pairs.targets, OwnTie::omit);
    set_threads(2);
    CHECK(similarities.of(pairs.sources, pairs.targets, OwnTie::omit) == one);
    set_threads(before);
    for (std::size_t i = 0; i < pairs.sources.size(); i += 97) {
      const std::vector<Node> u = {pairs.sources[i]}, v = {pairs.targets[i]};
      CHECK(similarities.of(u, v, OwnTie::omit) == one.row(static_cast<Eigen::Index>(i)));
      CHECK(similarities.of(v, u, OwnTie::omit) == one.row(static_cast<Eigen::Index>(i)));
    }
  }
}

TEST_CASE("Similarities need a row for each node", "[data][link_similarities]") {
  const Ties ties(2, std::vector<Node>{0}, std::vector<Node>{1}, Direction::undirected);
  Features features;
  features.dense = Matrix::Ones(3, 1);
  CHECK_THROWS_AS(LinkSimilarities(features, ties), UsageError);
}

TEST_CASE("Similarities that would fill the memory are refused", "[data][link_similarities]") {
  // A star of 3000 leaves whose middle has 30000 features: each leaf gets them all.
  test::TieLists star{.nodes = 3001};
  Features features;
  features.is_sparse = true;
  features.sparse.resize(3001, 30000);
  for (Node leaf = 1; leaf <= 3000; ++leaf) {
    star.sources.push_back(0);
    star.targets.push_back(leaf);
  }
  for (int column = 0; column < 30000; ++column) features.sparse.insert(0, column) = 1;
  const Ties ties = star.ties(Direction::undirected);
  CHECK_THROWS_WITH(LinkSimilarities(features, ties), Catch::Matchers::Contains("90000000 entries are more than"));
}
