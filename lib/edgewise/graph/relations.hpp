#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The relations of a graph whose first edge features say of which relation each edge is: 1 in its column, else 0.
/// Added self loops are of none.
namespace edgewise::graph {

/// The edges of one relation.
struct RelationEdges {
  FrozenGraph mask;                ///< Between the same nodes; keeps the numbers of the edges.
  std::vector<StoredEdge> slots;   ///< Per slot of `mask`: the slot of the graph.
};

/// The edges whose `relation`-th feature, counted from 1, is not 0, with the last `columns` of their features.
/// O(slots + nodes).
RelationEdges relation_edges(const FrozenGraph& edges, std::uint32_t relation, Eigen::Index columns);

/// The edges of several relations, from sources of their own: a node is a source once for each relation that it has
/// edges of.
struct RelationSources {
  /// From places in `nodes` to the destinations of the graph, with the features after those of the relations.
  FrozenGraph mask;
  std::vector<Node> nodes;          ///< The sources in the graph, by relation, ascending within each.
  std::vector<std::size_t> begins;  ///< Of each relation in `nodes`, and the end: [relations + 1].
  std::vector<StoredEdge> slots;    ///< Per slot of `mask`: the slot of the graph.
};

/// Edges between the nodes that have some, slot by slot as in the graph.
struct EdgeEnds {
  FrozenGraph mask;                ///< From places in `sources` to places in `destinations`.
  std::vector<Node> sources;       ///< In the graph, ascending.
  std::vector<Node> destinations;  ///< Likewise.
};

/// O(slots + nodes).
EdgeEnds edge_ends(const FrozenGraph& edges);

/// Of the relations that the first `relations` features are of. O(slots * (relations + log(largest degree)) + nodes).
RelationSources relation_sources(const FrozenGraph& edges, std::uint32_t relations);

}  // namespace edgewise::graph
