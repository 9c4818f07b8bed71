#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::data::detail {

/// Some start nodes within one graph of a union.
struct Piece {
  graph::Node first = 0;  ///< The graph has nodes first ... end - 1,
  graph::Node end = 0;
  graph::Node begin = 0;  ///< the piece has begin ... stop - 1.
  graph::Node stop = 0;
  std::size_t graph = 0;

  std::size_t nodes() const { return end - first; }
};

/// Cuts every graph into pieces of at most `starts` nodes; an empty graph has none.
std::vector<Piece> union_pieces(std::span<const graph::Node> offsets, graph::Node starts);

/// Throws UsageError if `offsets` do not ascend from 0 to the number of nodes, or if an arc leaves its graph.
void check_union(const graph::Graph& graph, std::span<const graph::Node> offsets, std::string_view what);

}  // namespace edgewise::data::detail
