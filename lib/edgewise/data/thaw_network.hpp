#pragma once

#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// A frozen network as it was before, in memory.
namespace edgewise::data {

/// Its edges, of which those into a node follow each other; of an undirected one, the node is the later of both.
graph::EdgeList thaw_edges(const FrozenNetwork& network);

/// Its nodes and edges.
graph::Graph thaw_graph(const FrozenNetwork& network);

/// The features of all nodes, without the names of the columns.
Features thaw_features(const FrozenNetwork& network);

}  // namespace edgewise::data
