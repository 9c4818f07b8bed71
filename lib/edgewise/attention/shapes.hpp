#pragma once

#include <optional>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/parts.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

/// The shapes of what attention reads.
using InputShapes = Parts<std::optional<Shape>>;

/// Throws UsageError if there is no query, key or value; naming both shapes, if a shape does not match the mask, the
/// heads and the score; and for an edge weight of GAT.
void check_shapes(const graph::FrozenGraph& mask, const InputShapes& shapes, int heads, Score score);

/// Throws UsageError unless the slope is at least 0, so that a LeakyReLU keeps the sign.
void check_slope(float negative_slope);

}  // namespace edgewise::attention
