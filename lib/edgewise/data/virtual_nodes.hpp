#pragma once

#include "edgewise/data/graph_data.hpp"

namespace edgewise::data {

/// Adds one node to each graph, as its last, connected to all other nodes of the graph in both directions, so that any
/// two nodes are at most two steps apart (Gilmer et al. 2017). Its features are zeros, except for a new last column,
/// "virtual node", which is 1 for it and 0 for all others. Edges get the column "virtual edge" in the same way, and
/// weight 1 if there are weights. The nodes are called "virtual node of G" after the graph's name (with "'" appended if
/// that is taken). The user's edges keep their numbers; the new ones follow. Labels and splits are unchanged. Compute
/// positional encodings beforehand.
GraphData add_virtual_nodes(const GraphData& data);

}  // namespace edgewise::data
