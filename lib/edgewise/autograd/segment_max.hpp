#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd {

/// y[g, c] = max over u -> g of x[u, c], zeros if g has no source: x [sources, C], y [destinations, C]. The gradient
/// goes to the first source that has the maximum. NaNs in x carry over to y. O(slots * C). Assumes that no source
/// belongs to two destinations, as in graph::readout_mask. `mask` must outlive the tape's record.
Variable segment_max(const graph::FrozenGraph& mask, Variable x);

}  // namespace edgewise::autograd
