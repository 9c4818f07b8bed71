#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"
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

/// A mask for k-hop attention and how far each slot's source is.
struct KHopMask {
  Csr incoming;                    ///< A row for each destination, its sources ascending.
  std::vector<std::uint32_t> hops;  ///< Of each slot: the length of the shortest path, 1 ... k.
};

struct KHopOptions {
  Flow flow = Flow::source_to_target;
  /// Throws UsageError rather than make a mask with more slots: k hops soon reach everything.
  std::size_t maximal_slots = 2'000'000'000;
};

/// v attends to every u != v with a path u -> ... -> v of at most `hops` arcs (the edges of the k-th power). One
/// truncated breadth-first search a node. With 0 hops the mask is empty. Self loops are not part of it.
KHopMask k_hop_mask(const Graph& graph, std::uint32_t hops, const KHopOptions& options = {});

}  // namespace edgewise::graph
