#pragma once

#include <cstdint>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// The edges whose `relation`-th feature, counted from 1, is not 0: those of one relation if the features say of which
/// one each edge is. Added self loops are of none. The mask keeps the numbers of the edges and has no features.
/// O(slots).
FrozenGraph relation_mask(const FrozenGraph& edges, std::uint32_t relation);

}  // namespace edgewise::graph
