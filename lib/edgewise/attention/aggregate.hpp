#pragma once

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Sums along the edges with fixed weights, the building block of GCN (Kipf and Welling 2017) and mean aggregation.
namespace edgewise::attention {

/// output[v, :] = sum over u -> v of slot_weights[slot] * value[u, :]; zeros for a node without in-edges.
/// value [sources, columns], output [destinations, columns].
void aggregate_forward(const graph::FrozenGraph& graph, const float* slot_weights, const float* value, int columns,
                       float* output);

/// value_gradient[u, :] += sum over u -> v of slot_weights[slot] * output_gradient[v, :]
void aggregate_backward(const graph::FrozenGraph& graph, const float* slot_weights, const float* output_gradient,
                        int columns, float* value_gradient);

}  // namespace edgewise::attention
