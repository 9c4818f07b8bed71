#pragma once

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Sums along the edges with fixed weights, the building block of GCN (Kipf and Welling 2017) and mean aggregation.
namespace edgewise::attention {

/// output[v, :] = start[v, :] + sum over the slots u -> v of slot_weights[slot] * value[rows[slot], :].
/// `rows` are the sources of the slots, graph.incoming.columns, or the rows of a table that stand for them.
/// value [sources, columns], output [destinations, columns]; start like output, or null for zeros.
void aggregate_forward(const graph::FrozenGraph& graph, const graph::Node* rows, const float* slot_weights,
                       const float* value, const float* start, int columns, float* output);

/// value_gradient[u, :] (+)= sum over u -> v of slot_weights[slot] * output_gradient[v, :]; replaced if it `is_empty`.
void aggregate_backward(const graph::FrozenGraph& graph, const float* slot_weights, const float* output_gradient,
                        int columns, bool is_empty, float* value_gradient);

}  // namespace edgewise::attention
