#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Many graphs with one label each: everything a graph-level job needs. Graph g has nodes offsets[g] ... offsets[g + 1]
/// - 1 of `graph`, the disjoint union. A graph may be empty.
struct GraphData {
  std::string name;
  std::vector<std::string> names;  ///< The user's names of the graphs: row numbers, identifiers.
  graph::Graph graph;
  std::vector<graph::Node> offsets = {0};
  Features features;  ///< [nodes, features]
  Labels labels;      ///< One row per graph.
  std::vector<Split> splits;
  std::vector<std::string> node_labels;  ///< Labels that the first feature columns encode one-hot.
  std::vector<std::string> edge_labels;  ///< The same for the edge features.

  std::size_t graph_count() const { return offsets.size() - 1; }
};

}  // namespace edgewise::data
