#include "edgewise/data/graph_statistics.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("Sums of long graphs are not short of digits", "[data][graph_statistics]") {
  GraphData data;
  data.offsets = {0, 20'000'001};
  data.features.dense = Matrix::Ones(20'000'001, 1);
  data.features.dense(0, 0) = 0.5F;
  CHECK(summed_node_features(data.features, data.offsets).dense(0, 0) == 20'000'000.0F);  // 16,777,216 in float
}
