#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// A batch of graphs is their disjoint union plus an offset table, so attention runs on it as on any other graph.
namespace edgewise::graph {

/// Index of a graph in a union.
using GraphIndex = std::uint32_t;

/// A disjoint union of graphs: graph g has nodes offsets[g] ... offsets[g + 1] - 1, and no edge crosses between graphs.
/// A graph may be empty.
struct GraphUnion {
  FrozenGraph graph;
  std::vector<Node> offsets = {0};

  std::size_t graph_count() const { return offsets.size() - 1; }
  std::size_t size_of(GraphIndex index) const { return offsets[index + 1] - offsets[index]; }
};

/// The union of the graphs `members` of `all`, in that order. Ranges are copied and shifted, nothing is sorted: O(nodes
/// + slots * (1 + edge features)) of the members. Throws UsageError if a member is not a graph of `all`,
/// if its nodes are not all in the graph, or if an edge leaves it.
GraphUnion select(const GraphUnion& all, std::span<const GraphIndex> members);

/// The nodes of `members`, in that order: the rows of node features for a union made by `select`. Throws UsageError if
/// a member is not a graph of the offsets.
std::vector<Node> nodes_of(std::span<const Node> offsets, std::span<const GraphIndex> members);

}  // namespace edgewise::graph
