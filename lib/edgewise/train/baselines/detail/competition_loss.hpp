#pragma once

#include <cstddef>
#include <span>

namespace edgewise::train::detail {

/// The first of each `group` of outputs that follow each other is to be the largest: -log of its share in the softmax
/// over the group (Cao et al. 2007, ListNet, with one relevant item), the mean over groups; NaN without outputs.
/// Writes the derivatives of a group's loss by its outputs to `gradient`, and an upper bound of their second
/// derivatives to `curvature`, unless these are empty; else they are as long as `outputs`, a multiple of `group`.
double competition_loss(std::span<const float> outputs, std::size_t group, std::span<float> gradient = {},
                        std::span<float> curvature = {});

}  // namespace edgewise::train::detail
