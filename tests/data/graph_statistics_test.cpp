#include "edgewise/data/graph_statistics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/graph_data.hpp"

using namespace edgewise;
using namespace edgewise::data;

TEST_CASE("Node features are summed graph by graph", "[data][graph_statistics]") {
  GraphData data;
  data.offsets = {0, 2, 2, 5};
  data.features.dense = Matrix(5, 3);
  data.features.dense << 1, 0, 2, 0, 0, 3, 4, 0, 0, 1, 0, 0, 1, 0, -1;
  data.features.names = {"a", "b", "c"};
  Matrix expected(3, 3);
  expected << 1, 0, 5, 0, 0, 0, 6, 0, -1;
  const Features dense = summed_node_features(data.features, data.offsets);
  CHECK(dense.dense == expected);
  CHECK(dense.names == data.features.names);
  data.features.is_sparse = true;
  data.features.sparse = data.features.dense.sparseView();
  data.features.dense.resize(0, 0);
  const Features sparse = summed_node_features(data.features, data.offsets);
  CHECK(sparse.is_sparse);
  CHECK(sparse.sparse.isCompressed());
  CHECK(sparse.sparse.nonZeros() == 4);
  CHECK(Matrix(sparse.sparse) == expected);
  CHECK(summed_node_features(Features(), GraphData().offsets).rows() == 0);
}

TEST_CASE("Statistics of nodes, by hand", "[data][graph_statistics]") {
  Matrix nodes(5, 2);
  nodes << 1, 0, 3, 0, 5, -1, 5, 2, 2, -4;
  const std::vector<graph::Node> offsets = {0, 2, 2, 5};
  Matrix expected(3, 11);  // n, then sum, mean, deviation, maximum and minimum of both columns
  expected << 2, 4, 0, 2, 0, 1, 0, 3, 0, 1, 0,  //
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,          //
      3, 12, -3, 4, -1, std::sqrt(2.0F), std::sqrt(6.0F), 5, 2, 2, -4;
  CHECK(node_statistics(nodes.sparseView(), offsets).isApprox(expected, 1e-6F));
  CHECK(node_statistics(SparseMatrix(0, 3), std::vector<graph::Node>{0}).rows() == 0);
}

TEST_CASE("Statistics of nodes that would fill the memory are refused", "[data][graph_statistics]") {
  std::vector<graph::Node> offsets(2001);
  std::iota(offsets.begin(), offsets.end(), graph::Node{0});
  CHECK_THROWS_WITH(node_statistics(SparseMatrix(2000, 4000), offsets),
                    Catch::Matchers::Contains("20001 columns for each of 2000 graphs"));
}

TEST_CASE("Sums over large graphs keep their precision", "[data][graph_statistics]") {
  GraphData data;
  data.offsets = {0, 20'000'001};
  data.features.dense = Matrix::Ones(20'000'001, 1);
  data.features.dense(0, 0) = 0.5F;
  CHECK(summed_node_features(data.features, data.offsets).dense(0, 0) == 20'000'000.0F);  // 16,777,216 in float
}

TEST_CASE("Statistics refuse offsets that are not those of the nodes", "[data][graph_statistics]") {
  Features dense, sparse;
  dense.dense = Matrix::Ones(5, 3);
  sparse.is_sparse = true;
  sparse.sparse = dense.dense.sparseView();
  for (const std::vector<graph::Node>& offsets :
       {std::vector<graph::Node>{0, 2, 6}, std::vector<graph::Node>{0, 6, 5}, std::vector<graph::Node>{}}) {
    CHECK_THROWS_AS(summed_node_features(dense, offsets), UsageError);
    CHECK_THROWS_AS(summed_node_features(sparse, offsets), UsageError);
    CHECK_THROWS_AS(node_statistics(sparse.sparse, offsets), UsageError);
  }
}
