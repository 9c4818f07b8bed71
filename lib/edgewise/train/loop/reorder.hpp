#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The memory order of the nodes of one graph during training and prediction. Neighbours that are close together are
/// likely to be in the cache when attention reads them; the user's order is often as good as random. The order is
/// internal: NodeBatches maps results back.
namespace edgewise::train {

struct NodeOrder {
  std::string name = "none";       ///< none, degree, cuthill_mckee or clustering.
  std::vector<graph::Node> nodes;  ///< The user's node at each position; empty: the user's order.
  std::string note;                ///< A remark for the user; may be empty.
};

/// The order called `name`: "none", or one of graph/ordering.hpp: "degree", "cuthill_mckee", "clustering".
///
/// "auto" estimates the costs. It counts which rows of 64 floats, read along a sample of the edges, would not be in a
/// cache of kCachedBytes, in the user's order and in the orders "clustering" and "degree". It picks the one that saves
/// most over `gathers` passes along all edges, if that exceeds its cost, with the costs of one machine: its choice
/// depends on the graph and `gathers` alone. Rows that take at most kCachedBytes are left as they are, without
/// counting. Throws UsageError for another name.
NodeOrder choose_order(const std::string& name, double gathers, const graph::FrozenGraph& graph);

/// Table size that "auto" assumes to be in the cache anyway: 32768 nodes.
inline constexpr std::size_t kCachedBytes = std::size_t{8} << 20;

/// Applies `choose_order` to the nodes of both.
NodeOrder reorder(const std::string& name, double gathers, graph::FrozenGraph& graph, data::Features& features);

}  // namespace edgewise::train
