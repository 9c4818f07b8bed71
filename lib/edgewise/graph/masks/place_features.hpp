#pragma once

#include "edgewise/graph/masks/rules.hpp"

namespace edgewise::graph {

/// Fills the edge features of `mask`, made by `rule` from `input`, with the position of each slot's source relative to
/// its destination. See PlaceFeatures.
void add_place_features(const Mask& rule, const MaskInput& input, FrozenGraph& mask);

}  // namespace edgewise::graph
