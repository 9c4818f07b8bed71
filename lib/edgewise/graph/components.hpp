#pragma once

#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::graph {

/// The connected components, ignoring edge directions.
struct Components {
  std::vector<Node> component;     ///< Per node; components are numbered in the order of their first node.
  std::vector<std::size_t> sizes;  ///< Number of nodes per component.

  std::size_t count() const { return sizes.size(); }
};

/// By union-find (boost::disjoint_sets), almost linear. A node without edges is its own component.
Components connected_components(const Graph& graph);

}  // namespace edgewise::graph
