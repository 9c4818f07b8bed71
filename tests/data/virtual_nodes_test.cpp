#include "edgewise/data/virtual_nodes.hpp"

#include <catch2/catch.hpp>

#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/boost_graph.hpp"
#include "io/graphs.hpp"
#include "support/graph_unions.hpp"

using namespace edgewise;
using namespace edgewise::data;
using graph::Node;

namespace {

/// A path of three named "p", an empty graph and a single node; the weights are the edge numbers.
GraphData three_graphs(graph::Direction direction = graph::Direction::undirected) {
  GraphData data;
  data.name = "toy";
  data.names = {"p", "e", "s"};
  graph::NodeNames names;
  for (const char* name : {"a", "virtual node of s", "c", "d"}) names.add(name);
  graph::EdgeList edges = test::edge_list(test::path(3));
  edges.weights = {1, 2};
  edges.features = Matrix(2, 1);
  edges.features << 5, 6;
  edges.feature_names = {"bond"};
  data.graph = graph::Graph(std::move(names), std::move(edges), {.direction = direction});
  data.offsets = {0, 3, 3, 4};
  data.features.dense = Matrix(4, 1);
  data.features.dense << 1, 2, 3, 4;
  data.features.names = {"x"};
  data.labels.names = {"no", "yes"};
  data.labels.classes = {0, 1, 0};
  data.splits = {{Role::train, Role::test, Role::none}};
  return data;
}

}  // namespace

TEST_CASE("A virtual node is connected to all nodes of its graph", "[data][virtual_nodes]") {
  const GraphData data = add_virtual_nodes(three_graphs());
  CHECK(data.offsets == std::vector<Node>{0, 4, 5, 7});
  CHECK(data.names == std::vector<std::string>{"p", "e", "s"});
  CHECK(test::edges_of(data.graph.names(), data.graph.edges()) ==
        "a>virtual node of s virtual node of s>c a>virtual node of p virtual node of s>virtual node of p "
        "c>virtual node of p d>virtual node of s'");
  CHECK(data.graph.names()[4] == "virtual node of e");
  CHECK(data.graph.arc_count() == 12);
  Matrix features(7, 2);
  features << 1, 0, 2, 0, 3, 0, 0, 1, 0, 1, 4, 0, 0, 1;
  CHECK(data.features.dense == features);
  CHECK(data.features.names == std::vector<std::string>{"x", "virtual node"});
  Matrix edge_features(6, 2);
  edge_features << 5, 0, 6, 0, 0, 1, 0, 1, 0, 1, 0, 1;
  CHECK(data.graph.edges().features == edge_features);
  CHECK(data.graph.edges().feature_names == std::vector<std::string>{"bond", "virtual edge"});
  CHECK(data.graph.edges().weights == std::vector<float>{1, 2, 1, 1, 1, 1});
  CHECK(data.labels.classes == std::vector<std::int32_t>{0, 1, 0});
  CHECK(data.splits == three_graphs().splits);
}

TEST_CASE("In a directed graph a virtual node has arcs both ways", "[data][virtual_nodes]") {
  const GraphData data = add_virtual_nodes(three_graphs(graph::Direction::directed));
  CHECK(data.graph.arc_count() == 2 + 8);
  const auto has_arc = [&](Node source, Node target) { return boost::edge(source, target, data.graph.boost()).second; };
  CHECK(has_arc(3, 0));
  CHECK(has_arc(0, 3));
  CHECK_FALSE(has_arc(1, 0));
}

TEST_CASE("With a virtual node all nodes of a graph are at most two steps apart", "[data][virtual_nodes]") {
  const test::Union all = test::random_union({12, 0, 30, 1}, 1, 3);
  GraphData data;
  data.graph = all.graph;
  data.offsets = all.offsets;
  data.features.dense = Matrix::Ones(43, 1);
  data = add_virtual_nodes(data);
  CHECK(data.graph.names()[12] == "virtual node of 1");
  for (const std::uint8_t length : shortest_paths(data.graph, data.offsets, 9).lengths) CHECK(length <= 2);
}

TEST_CASE("Virtual nodes work with sparse features", "[data][virtual_nodes]") {
  GraphData data = three_graphs();
  const Matrix dense = add_virtual_nodes(data).features.dense;
  data.features.is_sparse = true;
  data.features.sparse = data.features.dense.sparseView();
  data.features.dense.resize(0, 0);
  const GraphData result = add_virtual_nodes(data);
  CHECK(result.features.sparse.isCompressed());
  CHECK(Matrix(result.features.sparse) == dense);
}

TEST_CASE("No graphs get no virtual nodes", "[data][virtual_nodes]") {
  const GraphData data = add_virtual_nodes(GraphData());
  CHECK(data.graph_count() == 0);
  CHECK(data.graph.node_count() == 0);
}
