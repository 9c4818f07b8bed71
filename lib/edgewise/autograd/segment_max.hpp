#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd {

/// y[g, c] = max over u -> g of x[u, c], zeros where g has no source: x [sources, C], y [destinations, C]. The gradient
/// goes to the first source that has the maximum. A NaN in x stays one in y. O(slots * C).
/// Assumes that no source belongs to two destinations, as in graph::readout_mask. `mask` must live as long as the
/// tape's record.
Variable segment_max(const graph::FrozenGraph& mask, Variable x);

}  // namespace edgewise::autograd
