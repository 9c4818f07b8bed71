#include "edgewise/data/neighbour_means.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/graph_unions.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;
using test::graph_of;

namespace {

/// A random graph with an isolated node, some edges in both directions, and a self loop.
graph::Graph tangle(graph::Node nodes) {
  Random random(5, Stream::generate);
  test::Pairs pairs = {{0, 1}, {1, 0}, {2, 2}};
  for (graph::Node k = 0; k < 4 * nodes; ++k)
    pairs.emplace_back(static_cast<graph::Node>(random.below(nodes - 1)),
                       static_cast<graph::Node>(random.below(nodes - 1)));
  return graph_of(nodes, pairs);
}

Features random_features(Eigen::Index nodes, Eigen::Index columns, bool is_sparse) {
  Random random(6, Stream::generate);
  Features features;
  features.dense = Matrix::NullaryExpr(
      nodes, columns, [&] { return random.uniform() < 0.3 ? static_cast<float>(random.normal()) : 0.0F; });
  features.is_sparse = is_sparse;
  if (is_sparse) {
    features.sparse = features.dense.sparseView();
    features.dense.resize(0, 0);
  }
  return features;
}

Matrix dense_of(const Features& features) { return features.is_sparse ? Matrix(features.sparse) : features.dense; }

/// D^-1 A in double.
Eigen::MatrixXd averaging(const graph::Graph& graph) {
  Eigen::MatrixXd matrix = test::dense_neighbours(graph);
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) matrix.row(row) /= std::max(matrix.row(row).sum(), 1.0);
  return matrix;
}

}  // namespace

TEST_CASE("Columns of neighbours, by hand", "[data][neighbour_means]") {
  Features features;
  features.dense.resize(4, 1);
  features.dense << 1, 2, 6, 5;
  const Matrix columns(columns_with_neighbours(features, graph_of(4, {{0, 1}, {1, 0}, {2, 1}})));
  Matrix wanted(4, 5);  // own value, mean, mean of means, log(1 + neighbours), its mean
  const float one = std::log(2.0F), two = std::log(3.0F);
  wanted << 1, 2, 3.5F, one, two,  //
      2, 3.5F, 2, two, one,        //
      6, 2, 3.5F, one, two,        //
      5, 0, 0, 0, 0;
  CHECK(columns.isApprox(wanted, 1e-6F));
}

TEST_CASE("What the edges of nodes are, by hand", "[data][neighbour_means]") {
  graph::EdgeList edges;
  edges.sources = {0, 0, 2, 1, 0};
  edges.targets = {1, 2, 1, 1, 1};  // one is repeated, and left out
  edges.features.resize(5, 2);
  edges.features << 1, 4,  //
      1, 0,                //
      0, -2,               //
      1, 6,                //
      1, 100;
  const auto columns = [&](graph::Direction direction) {
    return columns_of_edges(graph::Graph(graph::NodeNames::numbered(3), edges, {.direction = direction}));
  };
  const float one = std::log(2.0F), two = std::log(3.0F), three = std::log(4.0F);
  Matrix wanted(3, 4);  // how many of each, their means
  wanted << 0, 0, 0, 0,  //
      two, three, 1, 8 / 3.0F,  //
      one, 0, 1, 0;
  CHECK(columns(graph::Direction::directed).isApprox(wanted, 1e-6F));
  wanted << two, one, 1, 4,  //
      two, three, 1, 8 / 3.0F,  //
      one, one, 1, -2;
  CHECK(columns(graph::Direction::undirected).isApprox(wanted, 1e-6F));
}

TEST_CASE("Columns of neighbours equal products with the dense matrix", "[data][neighbour_means]") {
  const graph::Graph graph = tangle(60);
  const Eigen::MatrixXd mean = averaging(graph);
  for (const bool is_sparse : {false, true})
    for (const Eigen::Index width : {3, 64, 65, 200}) {
      CAPTURE(is_sparse, width);
      const Features features = random_features(60, width, is_sparse);
      const Eigen::MatrixXd own = dense_of(features).cast<double>();
      const SparseMatrix columns = columns_with_neighbours(features, graph);
      const Matrix all(columns);
      const Eigen::Index steps = width <= 64 ? 2 : 1;
      REQUIRE(columns.cols() == (steps + 1) * width + 2);
      CHECK(columns.isCompressed());
      CHECK(all.leftCols(width).cast<double>() == own);
      CHECK(all.middleCols(width, width).cast<double>().isApprox(mean * own, 1e-6));
      if (steps == 2) CHECK(all.middleCols(2 * width, width).cast<double>().isApprox(mean * mean * own, 1e-6));
      const Eigen::MatrixXd degrees = all.middleCols((steps + 1) * width, 1).cast<double>();
      CHECK(all.rightCols(1).cast<double>().isApprox(mean * degrees, 1e-6));
      // Trees distinguish a missing entry from a 0: with few columns all entries are stored.
      CHECK((columns.nonZeros() == columns.size()) == (steps == 2));
      for (Eigen::Index row = 0; row < columns.rows(); ++row) {
        Eigen::Index before = -1;
        for (SparseMatrix::InnerIterator entry(columns, row); entry; ++entry) {
          REQUIRE(entry.col() > before);
          before = entry.col();
        }
      }
    }
}

TEST_CASE("Columns of neighbours have the same bits at one and two threads", "[data][neighbour_means]") {
  const graph::Graph graph = tangle(3000);
  for (const Eigen::Index width : {5, 70}) {
    const Features features = random_features(3000, width, true);
    set_threads(1);
    const SparseMatrix one = columns_with_neighbours(features, graph);
    set_threads(2);
    CHECK(Matrix(columns_with_neighbours(features, graph)) == Matrix(one));
  }
}

TEST_CASE("Own columns are stored like the features", "[data][neighbour_means]") {
  const Features dense = random_features(10, 4, false), sparse = random_features(10, 4, true);
  CHECK(own_columns(dense).nonZeros() == 40);
  CHECK(own_columns(sparse).nonZeros() == sparse.sparse.nonZeros());
  CHECK(Matrix(own_columns(dense)) == Matrix(own_columns(sparse)));
}

TEST_CASE("Zeros that are stored in sparse features are absent", "[data][neighbour_means]") {
  Features zeros = random_features(30, 80, true), none = zeros;
  for (Eigen::Index row = 0; row < 30; ++row) zeros.sparse.coeffRef(row, row) += 0;
  CHECK(zeros.sparse.nonZeros() > none.sparse.nonZeros());
  const graph::Graph graph = tangle(30);
  CHECK(own_columns(zeros).nonZeros() == own_columns(none).nonZeros());
  CHECK(columns_with_neighbours(zeros, graph).nonZeros() == columns_with_neighbours(none, graph).nonZeros());
}

TEST_CASE("Means that would fill the memory are refused", "[data][neighbour_means]") {
  constexpr graph::Node kLeaves = 200;
  test::Pairs star;
  for (graph::Node leaf = 1; leaf <= kLeaves; ++leaf) star.emplace_back(0, leaf);
  Features features;
  features.is_sparse = true;
  features.sparse.resize(kLeaves + 1, 200'000);
  for (int column = 0; column < 200'000; ++column) features.sparse.insert(0, column) = 1;
  features.sparse.makeCompressed();
  CHECK_THROWS_AS(columns_with_neighbours(features, graph_of(kLeaves + 1, star)), UsageError);
  CHECK_THROWS_WITH(columns_with_neighbours(features, graph_of(kLeaves + 1, star)), Contains("40000000 entries"));
}

TEST_CASE("means over neighbours need a row for each node", "[data][neighbour_means]") {
  for (const Eigen::Index columns : {3, 70})
    for (const bool is_sparse : {false, true})
      CHECK_THROWS_WITH(columns_with_neighbours(random_features(4, columns, is_sparse), graph_of(5, {{0, 4}})),
                        "columns_with_neighbours: features has 4 elements, expected 5");
}
