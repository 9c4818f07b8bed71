#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/graph/graph.hpp"

/// @file
/// What follows from a graph, by Boost's algorithms. Nothing here changes its argument.
namespace edgewise::graph {

/// Which nodes hang together when the direction of the edges is ignored.
struct Components {
  std::vector<Node> component;     ///< Of each node; numbered in the order of their first node.
  std::vector<std::size_t> sizes;  ///< Nodes of each component.

  std::size_t count() const { return sizes.size(); }
};

/// By union-find (boost::disjoint_sets), nearly linear. A node without edges is a component of its own.
Components connected_components(const Graph& graph);

/// A node and how many edges away it is.
struct NodeAtHop {
  Node node;
  std::uint32_t hops;

  friend bool operator==(const NodeAtHop&, const NodeAtHop&) = default;
};

/// What `start` reaches along the arcs in at most `hops` steps, nearest first, itself in front with 0 hops. Breadth
/// first; costs what it visits, and O(nodes) once. Throws UsageError when `start` is no node.
std::vector<NodeAtHop> neighbourhood(const Graph& graph, Node start, std::uint32_t hops);

}  // namespace edgewise::graph
