#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// The part of a graph that some of its nodes see.
struct Neighbourhood {
  std::vector<Node> nodes;  ///< Of the whole graph, ascending; row i of `graph` is nodes[i].
  std::vector<Node> seeds;  ///< Where each of the nodes asked for stands in `nodes`.
  FrozenGraph graph;
};

/// The nodes that `seeds` reach in at most `hops` steps against the direction of attention (from a destination to its
/// sources). The rows of all nodes that fewer steps lead to are whole, in the order of `whole`, so that layers which
/// look `hops` steps far give the seeds the same bits; those of the others are empty. Costs the neighbourhood's edges
/// and some bytes for each node of the graph. Throws UsageError for a seed that there is not.
Neighbourhood neighbourhood(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops);

/// The same; nothing, and soon, where its nodes and edges together would be more than `most`.
std::optional<Neighbourhood> neighbourhood_within(const FrozenGraph& whole, std::span<const Node> seeds,
                                                  std::size_t hops, std::size_t most);

}  // namespace edgewise::graph
