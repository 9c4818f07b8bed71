#pragma once

#include <cstddef>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Node orders that place neighbours close together, so that the rows attention reads next are likely to be in the
/// cache. `order[i]` is the node to put at position i; `permute` in permutation.hpp applies an order. Edge directions
/// are ignored. The order is the same at any number of threads; an empty graph has the empty order. All functions throw
/// UsageError if destinations and sources are different node sets.
namespace edgewise::graph {

/// The distinct neighbours of each node in either direction, ascending, excluding the node itself.
Csr neighbours(const FrozenGraph& graph);

/// By descending degree, ties in the original order: the most frequently read rows share cache lines and pages.
std::vector<Node> degree_order(const FrozenGraph& graph);

/// Reverse Cuthill–McKee (Cuthill, McKee 1969; George 1971), from Boost: a breadth-first order that reduces the
/// bandwidth. Suited to meshes, road networks and other graphs with long paths.
std::vector<Node> cuthill_mckee_order(const FrozenGraph& graph);

struct ClusteringOptions {
  /// Maximum nodes per cluster: 2048 rows of 64 floats take half a megabyte, which fits a second-level cache.
  std::size_t largest = 2048;
  int sweeps = 6;  ///< Maximum; stops earlier once almost no node moves.
};

/// Orders nodes by cluster, using label propagation (Raghavan et al. 2007). In each sweep every node takes the label
/// most common among its neighbours, unless that cluster is full. The clusters then become the nodes of a smaller
/// graph, with edges weighted by the edges they represent, and are clustered in turn, so that strongly connected
/// clusters end up close together. Within a cluster the original order is kept. For networks with communities; O(sweeps
/// * slots). Throws UsageError if an option is below 1.
std::vector<Node> clustering_order(const FrozenGraph& graph, const ClusteringOptions& options = {});

}  // namespace edgewise::graph
