#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/graph/node_names.hpp"

namespace edgewise::data::detail {

/// A network whose edges are on the disk, and how much work its nodes are.
struct EdgesOnDisk {
  const std::vector<std::uint32_t>& degrees;
  std::span<const graph::Node> columns;  ///< Sources of all rows, one after another: mapped, its pages are given back.
  std::uint64_t work_of_row;             ///< Of a node, beside its degree.
};

/// Moves nodes between clusters, which are numbered below the number of nodes, in passes over the rows in their order:
/// a node goes to the cluster of most of its sources that has room. A cluster has at most the work `most`, unless it
/// has more at first or consists of one node. This is size-constrained label propagation (Akhremtsev, Sanders, Schulz
/// 2014, (Semi-)External Algorithms for Graph Partitioning and Clustering, section 4).
std::vector<graph::Node> clusters_in_passes(const EdgesOnDisk& edges, std::vector<graph::Node> clusters,
                                            std::uint64_t most);

/// The number of edges whose ends are in two clusters.
std::uint64_t edges_between(const EdgesOnDisk& edges, const std::vector<graph::Node>& clusters);

}  // namespace edgewise::data::detail
