#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/graph/graph_union.hpp"

namespace edgewise::data {

/// Shortest path lengths within each graph, one byte per pair, in the slot order of `graph::complete_mask`.
struct PathLengths {
  static constexpr std::uint8_t kUnreachable = 255;
  static constexpr std::uint8_t kLargestMaximum = 254;

  std::uint8_t maximum = 0;                ///< Longer paths are stored as this value.
  std::vector<std::uint64_t> offsets = {0};  ///< Start of each graph in `lengths`, [graphs + 1].
  /// At offsets[g] + v * n + u, with nodes counted from the first of graph g: number of arcs on the shortest path u ->
  /// ... -> v.
  std::vector<std::uint8_t> lengths;

  std::size_t graph_count() const { return offsets.size() - 1; }
};

/// Breadth-first search from every node along the arcs (direction counts here): O(nodes * edges) per graph. Graph g has
/// nodes offsets[g] ... offsets[g + 1] - 1, and may be empty. Bitwise identical at any number of threads. Throws
/// UsageError if `maximum` is not 1 ... 254, there are more than graph::kMaximalArcs pairs, the last offset is not the
/// number of nodes, or an edge leaves its graph.
PathLengths shortest_paths(const graph::Graph& graph, std::span<const graph::Node> offsets, std::uint8_t maximum);

/// One-hot features of the slots of `complete_mask`, for the graphs `members` in their order (as in `graph::select`):
/// [pairs, maximum + 2]. Column d means length d, column `maximum` that length or more, the last column unreachable.
/// Throws UsageError if a member is not a graph.
Matrix path_length_features(const PathLengths& paths, std::span<const graph::GraphIndex> members);

}  // namespace edgewise::data
