#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// w[u -> v] / sqrt(d[u] d[v]) of each slot, where d[v] is the sum of w over the edges that point at v (Kipf and
/// Welling 2017, eq. 2; self loops are the graph's matter). w is the first edge feature with `has_edge_weights`, and 1
/// for added self loops and without. [slots, 1], a constant on the tape; zeros where a degree is not positive.
autograd::Variable symmetric_weights(autograd::Tape& tape, const graph::FrozenGraph& graph, bool has_edge_weights);

/// Throws UsageError for "edge_weights" over a mask without features.
void check_edge_weights(const json::Value& config, const MaskShape& mask);

}  // namespace edgewise::nn
