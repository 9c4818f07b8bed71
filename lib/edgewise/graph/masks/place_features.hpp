#pragma once

#include "edgewise/graph/masks/rule.hpp"

namespace edgewise::graph {

/// Number of columns that `kind`, which is not `none`, has for a rule.
int place_feature_count(PlaceFeatures kind, const MaskRule& rule, MaskParameters parameters);

/// Fills the edge features of `mask`, made by `rule` from `input`, with the position of each slot's source relative to
/// its destination. See PlaceFeatures.
void add_place_features(PlaceFeatures kind, const MaskRule& rule, MaskParameters parameters, const MaskInput& input,
                        FrozenGraph& mask);

}  // namespace edgewise::graph
