#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::data::detail {

/// Some nodes of one graph of a union, from which something starts.
struct Piece {
  graph::Node first = 0;  ///< The graph's nodes are first ... end - 1,
  graph::Node end = 0;
  graph::Node begin = 0;  ///< the piece's begin ... stop - 1.
  graph::Node stop = 0;
  std::size_t graph = 0;

  std::size_t nodes() const { return end - first; }
};

/// Every graph cut into pieces of at most `starts` nodes; an empty graph has none.
std::vector<Piece> union_pieces(std::span<const graph::Node> offsets, graph::Node starts);

/// Throws UsageError when `offsets` do not ascend from 0 to the number of nodes or an arc leaves its graph.
void check_union(const graph::Graph& graph, std::span<const graph::Node> offsets, std::string_view what);

}  // namespace edgewise::data::detail
