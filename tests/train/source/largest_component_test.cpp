#include "edgewise/train/source/largest_component.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("the largest component keeps the data of its nodes", "[train][largest_component]") {
  Dataset data;
  graph::EdgeList edges;  // a - b | c - e - d | f
  edges.sources = {0, 2, 4, 0};
  edges.targets = {1, 4, 3, 1};
  edges.weights = {1, 2, 3, 4};
  edges.features = Matrix(4, 1);
  edges.features << 10, 20, 30, 40;
  edges.feature_names = {"f"};
  graph::NodeNames names;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) names.add(name);
  data.table.names = names;
  data.table.lines = {2, 3, 4, 5, 6, 7};
  io::Column city{.name = "city",
                  .is_numeric = false,
                  .numbers = {},
                  .codes = {0, 1, -1, 1, 0, -1},
                  .categories = {"x", "y"},
                  .missing = 2};
  data.table.columns = {city};
  data.graph = graph::Graph(std::move(names), std::move(edges), {});
  data.labels.names = {"no", "yes"};
  data.labels.classes = {0, 1, 0, 1, -1, 0};
  data.features.is_sparse = true;
  data.features.sparse.resize(6, 3);
  data.features.sparse.insert(3, 2) = 5;
  data.features.sparse.makeCompressed();
  data.splits = {data::Split(6, data::Role::test)};
  data.splits[0][4] = data::Role::train;

  keep_largest_component(data);
  REQUIRE(data.graph.node_count() == 3);
  CHECK(data.graph.names()[0] == "c");
  CHECK(data.graph.names()[2] == "e");
  CHECK(data.graph.edges().sources == std::vector<graph::Node>{0, 2});
  CHECK(data.graph.edges().targets == std::vector<graph::Node>{2, 1});
  CHECK(data.graph.edges().weights == std::vector<float>{2, 3});
  CHECK(data.graph.edges().features(1, 0) == 30);
  CHECK(data.table.names.size() == 3);
  CHECK(data.table.lines == std::vector<std::uint64_t>{4, 5, 6});
  CHECK(data.table.columns[0].codes == std::vector<std::int32_t>{-1, 1, 0});
  CHECK(data.table.columns[0].missing == 1);
  CHECK(data.labels.classes == std::vector<std::int32_t>{0, 1, -1});
  CHECK(data.features.sparse.rows() == 3);
  CHECK(data.features.sparse.coeff(1, 2) == 5);
  CHECK(data.splits[0] == data::Split{data::Role::test, data::Role::test, data::Role::train});
  CHECK(data.notes.size() == 1);
  keep_largest_component(data);
  CHECK(data.notes.size() == 1);
}
