#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// w[u -> v] / sqrt(d[u] d[v]) for each slot, where d[v] is the sum of w over the in-edges of v (Kipf and Welling 2017,
/// eq. 2; self loops are up to the graph). With `has_edge_weights`, w is the first edge feature, but 1 for added self
/// loops; otherwise it is 1. [slots, 1], a constant on the tape; zero if a degree is not positive. Throws
/// UsageError for a mask between two node sets.
autograd::Variable symmetric_weights(autograd::Tape& tape, const graph::FrozenGraph& graph, bool has_edge_weights);

/// Throws UsageError for "edge_weights" over a mask without features.
void check_edge_weights(const json::Value& config, const MaskShape& mask);

}  // namespace edgewise::nn
