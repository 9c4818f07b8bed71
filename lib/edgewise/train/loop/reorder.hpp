#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The order of the nodes of one graph in memory while a model works on it. Neighbours near one another are likely in
/// the cache when attention reads them; the user's order is often as good as random. Nothing outside sees it: what a
/// model says is put back by NodeBatches.
namespace edgewise::train {

struct NodeOrder {
  std::string name = "none";       ///< none, degree, cuthill_mckee or clustering.
  std::vector<graph::Node> nodes;  ///< The user's node at each place; empty: the user's order.
  std::string note;                ///< What a person should know about it; empty: nothing.
};

/// The order called `name`: "none", or one of graph/ordering.hpp: "degree", "cuthill_mckee", "clustering".
/// "auto" finds out by measuring whether one is worth its price: it times how rows of 64 floats are read along a sample
/// of the edges, in the user's order and as "clustering" and "degree" would put them, and takes the one that saves most
/// over `gathers` passes along all edges, if that is more than it costs. Rows that take at most kCachedBytes stay as
/// they are, without any measuring. So what "auto" takes depends on the machine, and on chance where it is a close
/// call; with it the last bits of sums over neighbours, and which elements dropout drops. A name fixes both. Throws
/// UsageError for another name.
NodeOrder choose_order(const std::string& name, double gathers, const graph::FrozenGraph& graph);

/// What "auto" takes for a table of rows that is in the cache anyway: 32768 nodes.
inline constexpr std::size_t kCachedBytes = std::size_t{8} << 20;

/// `choose_order`, and puts the nodes of both into it.
NodeOrder reorder(const std::string& name, double gathers, graph::FrozenGraph& graph, data::Features& features);

}  // namespace edgewise::train
