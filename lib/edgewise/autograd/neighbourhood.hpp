#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd {

/// The neighbours of each row, weighted by each edge feature of `mask`, side by side:
///   y[v, k F + j] = sum over the slots u -> v of feature[slot, k] x[u, j].
/// With the features of a window (graph::PlaceFeatures::offset) part k is the row at offset k, or zeros beyond the end.
/// x [sources, F], y [destinations, K F]. The cost is that of the non-zero features; the features get no gradient.
/// `mask` must outlive the tape's record.
Variable neighbourhood(const graph::FrozenGraph& mask, Variable x);

}  // namespace edgewise::autograd
