#include "edgewise/data/bond_nodes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace edgewise;
using namespace edgewise::data;
using graph::Node;

namespace {

/// A chain of three atoms, an unreadable row, and a single atom; the features of bonds are 5 and 6.
GraphData three_molecules() {
  GraphData data;
  data.names = {"1", "2", "3"};
  graph::EdgeList edges;
  edges.sources = {0, 1};
  edges.targets = {1, 2};
  edges.features = Matrix(2, 1);
  edges.features << 5, 6;
  edges.feature_names = {"order"};
  data.graph = graph::Graph(graph::NodeNames::numbered(4), std::move(edges));
  data.offsets = {0, 3, 3, 4};
  data.features.dense = Matrix(4, 1);
  data.features.dense << 1, 2, 3, 4;
  data.features.names = {"x"};
  return data;
}

std::vector<std::string> names_in(const graph::NodeNames& names) {
  std::vector<std::string> texts;
  for (Node i = 0; i < names.size(); ++i) texts.emplace_back(names[i]);
  return texts;
}

}  // namespace

TEST_CASE("bonds become nodes with an edge to each of their atoms", "[data][bond_nodes]") {
  const GraphData data = add_bond_nodes(three_molecules());
  CHECK(data.offsets == std::vector<Node>{0, 5, 5, 6});
  CHECK(names_in(data.graph.names()) == std::vector<std::string>{"1:0", "1:1", "1:2", "1:0-1", "1:1-2", "3:0"});
  CHECK(data.graph.edges().sources == std::vector<Node>{0, 1, 0, 1, 1, 2});
  CHECK(data.graph.edges().targets == std::vector<Node>{1, 2, 3, 3, 4, 4});
  Matrix features(6, 3);
  features << 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 1, 5, 0, 1, 6, 4, 0, 0;
  CHECK(data.features.dense == features);
  CHECK(data.features.names == std::vector<std::string>{"x", "is a bond", "order"});
  Matrix edge_features(6, 2);
  edge_features << 5, 0, 6, 0, 0, 1, 0, 1, 0, 1, 0, 1;
  CHECK(data.graph.edges().features == edge_features);
  CHECK(data.graph.edges().feature_names == std::vector<std::string>{"order", "end of a bond"});
}

TEST_CASE("rows of atoms move to where their nodes are", "[data][bond_nodes]") {
  Matrix columns(4, 1), moved(6, 1);
  columns << 1, 2, 3, 4;
  moved << 1, 2, 3, 0, 0, 4;
  CHECK(with_bond_rows(columns, three_molecules()) == moved);
  CHECK(names_in(names_of_atoms(three_molecules())) == std::vector<std::string>{"1:0", "1:1", "1:2", "3:0"});
}
