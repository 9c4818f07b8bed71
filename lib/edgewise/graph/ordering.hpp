#pragma once

#include <cstddef>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Orders of the nodes that bring neighbours near one another, so that the rows that attention reads next are likely in
/// the cache. `order[i]` is the node to be put at place i; `permute` of permutation.hpp puts it there. The direction of
/// edges is ignored. The same order at any number of threads; an empty graph has the empty order. All throw UsageError
/// when the destinations are not the sources.
namespace edgewise::graph {

/// The different neighbours of each node in either direction, ascending, without itself.
Csr neighbours(const FrozenGraph& graph);

/// Most neighbours first, equals as they stood: the rows that are read most share cache lines and pages.
std::vector<Node> degree_order(const FrozenGraph& graph);

/// Reverse Cuthill–McKee (Cuthill, McKee 1969; George 1971), by Boost: breadth first, which narrows the band. For
/// meshes, roads and other graphs of long paths.
std::vector<Node> cuthill_mckee_order(const FrozenGraph& graph);

struct ClusteringOptions {
  /// Nodes that a cluster may have: 2048 rows of 64 floats take half a megabyte, which fits a second-level cache.
  std::size_t largest = 2048;
  int sweeps = 6;  ///< At most; fewer when hardly a node moves any more.
};

/// Clusters side by side, by label propagation (Raghavan et al. 2007): every node takes the label of most of its
/// neighbours, sweep by sweep, unless that cluster is full. Then the clusters are nodes of a smaller graph, whose edges
/// weigh what they represent, and are clustered in turn, so that clusters with many edges between them come near one
/// another. Inside a cluster nodes stay as they stood. For networks with communities; O(sweeps * slots).
/// Throws UsageError when an option is below 1.
std::vector<Node> clustering_order(const FrozenGraph& graph, const ClusteringOptions& options = {});

/// The largest |destination - source| over all slots; 0 without slots.
std::size_t bandwidth(const Csr& incoming);

}  // namespace edgewise::graph
