#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "edgewise/graph/edge_rows.hpp"

namespace edgewise::graph {

/// The part of a graph that affects a given set of nodes.
struct Neighbourhood {
  std::vector<Node> nodes;  ///< Indices in the whole graph, ascending; row i of `graph` is nodes[i].
  std::vector<Node> seeds;  ///< Position in `nodes` of each requested node.
  FrozenGraph graph;
};

/// The nodes that `seeds` reach in at most `hops` steps against the direction of attention (from destination to
/// source). Nodes fewer than `hops` steps away keep their complete rows, in the order of `whole`, so layers with a
/// receptive field of `hops` steps compute bitwise identical results for the seeds. The other rows are empty. Cost: the
/// edges of the neighbourhood, plus a few bytes per node of the graph. Throws UsageError if a seed is not a node,
/// or for edges between two node sets.
Neighbourhood neighbourhood(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops);

/// The same in a network in pieces. Rows are in the order of masks over the pieces (EdgeRow::in_piece_order).
Neighbourhood neighbourhood_in_pieces(const EdgeRows& whole, std::span<const Node> seeds, std::size_t hops);

/// `neighbourhood`, or nothing if nodes plus edges would exceed `most`; in that case it returns early.
std::optional<Neighbourhood> neighbourhood_within(const FrozenGraph& whole, std::span<const Node> seeds,
                                                  std::size_t hops, std::size_t most);

}  // namespace edgewise::graph
