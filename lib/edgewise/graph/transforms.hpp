#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/graph/graph.hpp"

/// @file
/// Graph algorithms based on Boost. Nothing here changes its argument.
namespace edgewise::graph {

/// The connected components, ignoring edge directions.
struct Components {
  std::vector<Node> component;     ///< Per node; components are numbered in the order of their first node.
  std::vector<std::size_t> sizes;  ///< Number of nodes per component.

  std::size_t count() const { return sizes.size(); }
};

/// By union-find (boost::disjoint_sets), almost linear. A node without edges is its own component.
Components connected_components(const Graph& graph);

/// A node and its distance in edges.
struct NodeAtHop {
  Node node;
  std::uint32_t hops;

  friend bool operator==(const NodeAtHop&, const NodeAtHop&) = default;
};

/// The nodes that `start` reaches along the arcs in at most `hops` steps, nearest first, starting with itself at 0
/// hops. Breadth first; costs what it visits, plus O(nodes) once. Throws UsageError if `start` is not a node.
std::vector<NodeAtHop> neighbourhood(const Graph& graph, Node start, std::uint32_t hops);

}  // namespace edgewise::graph
