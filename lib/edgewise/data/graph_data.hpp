#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Many graphs with a label each: all that a graph-level job needs. Graph g has the nodes offsets[g] ...
/// offsets[g + 1] - 1 of `graph`, the disjoint union. A graph may be empty.
struct GraphData {
  std::string name;
  std::vector<std::string> names;  ///< Of the graphs, as the user calls them: row numbers, identifiers.
  graph::Graph graph;
  std::vector<graph::Node> offsets = {0};
  Features features;  ///< [nodes, features]
  Labels labels;      ///< One row a graph.
  std::vector<Split> splits;
  std::vector<std::string> node_labels;  ///< What the first columns of the features are one-hot of.
  std::vector<std::string> edge_labels;  ///< The same of the features of the edges.

  std::size_t graph_count() const { return offsets.size() - 1; }
};

}  // namespace edgewise::data
