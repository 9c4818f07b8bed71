#include "edgewise/data/tie_factors.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/link_candidates.hpp"

using namespace edgewise;
using Eigen::Index;

namespace {

/// Sources 0 ... sources - 1, then targets, then one node on neither side.
struct TwoSides {
  std::size_t sources, targets;
  std::vector<graph::Node> from, to;
  std::vector<std::uint8_t> sides;

  TwoSides(std::size_t rows, std::size_t columns, double share) : sources(rows), targets(columns) {
    Random random(3, Stream::generate);
    for (graph::Node u = 0; u < sources; ++u)
      for (graph::Node v = 0; v < targets; ++v)
        if (random.uniform() < share) {
          from.push_back(u);
          to.push_back(static_cast<graph::Node>(sources) + v);
        }
    sides.assign(sources, graph::kSourceSide);
    sides.resize(sources + targets, graph::kTargetSide);
    sides.push_back(graph::kNoSide);
  }
  graph::Ties ties() const { return {sides.size(), from, to, graph::Direction::undirected}; }
};

struct AllPairs {
  std::vector<graph::Node> sources, targets;

  explicit AllPairs(const TwoSides& of) {
    for (graph::Node u = 0; u < of.sources; ++u)
      for (graph::Node v = 0; v < of.targets; ++v) {
        sources.push_back(u);
        targets.push_back(static_cast<graph::Node>(of.sources) + v);
      }
  }
};

/// The same with so many singular values, by a dense decomposition.
Eigen::MatrixXd dense_entries(const TwoSides& of, Index count) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(static_cast<Index>(of.sources), static_cast<Index>(of.targets));
  for (std::size_t i = 0; i < of.from.size(); ++i) a(of.from[i], of.to[i] - static_cast<graph::Node>(of.sources)) = 1;
  const auto roots = [](const Eigen::VectorXd& sums) { return Eigen::VectorXd(sums.array().sqrt()); };
  const auto inverse = [](const Eigen::VectorXd& values) {
    return Eigen::VectorXd((values.array() > 0).select(1 / values.array(), 0));
  };
  const Eigen::VectorXd s = roots(a.rowwise().sum()), t = roots(a.colwise().sum().transpose());
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(inverse(s).asDiagonal() * a * inverse(t).asDiagonal(),
                                              Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Index kept = std::min(count, svd.singularValues().size());
  return s.asDiagonal() * svd.matrixU().leftCols(kept) * svd.singularValues().head(kept).asDiagonal() *
         svd.matrixV().leftCols(kept).transpose() * t.asDiagonal();
}

}  // namespace

TEST_CASE("factors of ties are those of a dense decomposition", "[data][tie_factors]") {
  const TwoSides network(40, 30, 0.2);
  const AllPairs pairs(network);
  const graph::Ties ties = network.ties();
  const Matrix found = data::TieFactors(ties, network.sides).of(pairs.sources, pairs.targets);
  REQUIRE(found.cols() == 3);
  for (const auto& [column, count] : {std::pair<Index, Index>{0, 8}, {1, 15}, {2, 15}}) {  // half of the smaller side
    const Eigen::MatrixXd expected = dense_entries(network, count);
    for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
      const double value = expected(pairs.sources[i], pairs.targets[i] - 40);
      // Random projection finds the first values nearly, and all of them exactly.
      CHECK(std::abs(static_cast<double>(found(static_cast<Index>(i), column)) - value) < 2e-4);
    }
  }
}

TEST_CASE("without its own tie a pair has nearly the factors that it has in the network without the tie",
          "[data][tie_factors]") {
  const TwoSides network(40, 30, 0.2);
  const graph::Ties ties = network.ties();
  const data::TieFactors factors(ties, network.sides);
  const Matrix with = factors.of(network.from, network.to), without =
      factors.of(network.from, network.to, graph::OwnTie::omit);
  double error = 0, difference = 0;
  for (std::size_t i = 0; i < network.from.size(); i += 10) {
    TwoSides other = network;
    other.from.erase(other.from.begin() + static_cast<std::ptrdiff_t>(i));
    other.to.erase(other.to.begin() + static_cast<std::ptrdiff_t>(i));
    const graph::Ties other_ties = other.ties();
    const std::vector<graph::Node> source = {network.from[i]}, target = {network.to[i]};
    const Matrix exact = data::TieFactors(other_ties, other.sides).of(source, target);
    error += (without.row(static_cast<Index>(i)) - exact.row(0)).cwiseAbs().sum();
    difference += (with.row(static_cast<Index>(i)) - exact.row(0)).cwiseAbs().sum();
  }
  CHECK(error < 0.4 * difference);
  const AllPairs pairs(network);
  const Matrix all = factors.of(pairs.sources, pairs.targets),
               omitted = factors.of(pairs.sources, pairs.targets, graph::OwnTie::omit);
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    const auto row = static_cast<Index>(i);
    CHECK((all.row(row) == omitted.row(row)) != ties.contains(pairs.sources[i], pairs.targets[i]));
  }
}

TEST_CASE("factors of ties have the same bits at any number of threads", "[data][tie_factors]") {
  const TwoSides network(900, 300, 0.02);
  const AllPairs pairs(network);
  const graph::Ties ties = network.ties();
  const int before = threads();
  set_threads(1);
  const Matrix one = data::TieFactors(ties, network.sides).of(pairs.sources, pairs.targets);
  set_threads(2);
  const Matrix two = data::TieFactors(ties, network.sides).of(pairs.sources, pairs.targets);
  set_threads(before);
  CHECK(one == two);
}

TEST_CASE("factors of odd ties", "[data][tie_factors]") {
  TwoSides none(3, 2, 0);
  const std::vector<graph::Node> sources = {0}, targets = {3};
  const graph::Ties ties = none.ties();
  const data::TieFactors factors(ties, none.sides);
  CHECK(factors.of(sources, targets).isZero());
  CHECK(factors.of({}, {}).rows() == 0);
  const std::vector<graph::Node> unknown = {9};
  CHECK_THROWS_AS(factors.of(sources, unknown), UsageError);
  none.sides.pop_back();
  CHECK_THROWS_AS(data::TieFactors(TwoSides(3, 2, 1).ties(), none.sides), UsageError);
}
