#pragma once

#include "edgewise/data/graph_data.hpp"

namespace edgewise::data {

/// Each graph gets one more node, its last, tied to all others of the graph in both directions, so that any two are at
/// most two steps apart (Gilmer et al. 2017). Node features are zeros but for a new last column, "virtual node", which
/// is 1 there and 0 for all others; edges get the column "virtual edge" in the same way, and weight 1 where there are
/// weights. Names are "virtual node of G" after the graph's name (with "'" where that is taken); user's edges keep
/// their numbers, the new ones follow. Labels and splits stay. Encodings of
/// the nodes are best made before.
GraphData add_virtual_nodes(const GraphData& data);

}  // namespace edgewise::data
