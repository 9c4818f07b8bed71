#pragma once

#include "edgewise/attention/options.hpp"

/// @file
/// GATv2 attention along the edges (Brody et al. 2022, eq. 7), fused:
///   x[u->v]        = key[u] + query[v] + edge[u->v, :] . edge_weight        [heads * width]
///   score[u->v, h] = attention_vector[h] . LeakyReLU(x[u->v])[h]
///   output[v, h]   = sum over u -> v of softmax_u(score) * (value[u, h] + edge[u->v, :] . value_edge_weight[:, h])
/// The last product is not made for each edge: the edge features are summed with the attention weights before they are
/// multiplied. A node with nothing to attend to gets zeros.
namespace edgewise::attention {

struct Gatv2Inputs {
  int heads = 1;
  int width = 1;
  const float* key = nullptr;               ///< [sources, heads * width]
  const float* query = nullptr;             ///< [destinations, heads * width]
  const float* value = nullptr;             ///< [sources, heads * width]; may be `key`.
  const float* attention_vector = nullptr;  ///< [heads * width]
  const float* edge_weight = nullptr;       ///< [edge features, heads * width]; nullptr: out of the score.
  const float* value_edge_weight = nullptr;  ///< [edge features, heads * width]; nullptr: out of the value.
  float negative_slope = 0.2F;
  Storage storage = Storage::float32;  ///< Of the three tables, and of the output gradient.
};

/// Added to; nullptr where no gradient is wanted. `value` may be `key`.
struct Gatv2Gradients {
  float* key = nullptr;
  float* query = nullptr;
  float* value = nullptr;
  float* attention_vector = nullptr;
  float* edge_weight = nullptr;
  float* value_edge_weight = nullptr;
};

/// Per destination, [destinations, edge features * heads] each; only needed with a value edge weight.
struct Gatv2EdgeSums {
  float* features = nullptr;  ///< Edge features summed with the attention weights, from the forward pass.
  float* gradient = nullptr;  ///< Output gradient . value_edge_weight, filled by the backward pass.
};

/// Fills `output` [destinations, heads * width] and `log_sum_exp` [destinations, heads], and `weights` [slots, heads]
/// (before dropout) unless it is nullptr. O(slots * heads * width * (1 + edge features)).
void gatv2_forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                   float* output, float* log_sum_exp, const Gatv2EdgeSums& edge_sums, float* weights);

/// `output`, `statistics.log_sum_exp` and `edge_sums` as the forward pass left them. `partials`: room for
/// [incoming chunks, (1 + edge features for each of the two edge weights) * heads * width].
void gatv2_backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                    const float* output, const float* output_gradient, const RowStatistics& statistics,
                    const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients);

}  // namespace edgewise::attention
