#pragma once

#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// `graph` without the slots of some of the user's edges, `is_dropped` by their numbers: what a pass may see that is
/// asked for these edges. Added self loops stay, with the mean of the features of the edges that are left. O(slots).
FrozenGraph without_edges(const FrozenGraph& graph, const std::vector<bool>& is_dropped);

}  // namespace edgewise::graph
