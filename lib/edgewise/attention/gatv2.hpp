#pragma once

#include "edgewise/attention/options.hpp"

/// @file
/// GATv2 attention along the edges (Brody et al. 2022, eq. 7), fused:
///   x[u->v]        = key[u] + query[v] + edge[u->v, :] . edge_weight        [heads * width]
///   score[u->v, h] = attention_vector[h] . LeakyReLU(x[u->v])[h]
///   output[v, h]   = sum over u -> v of softmax_u(score) * value[u, h]
/// A node with nothing to attend to gets zeros.
namespace edgewise::attention {

struct Gatv2Inputs {
  int heads = 1;
  int width = 1;
  const float* key = nullptr;               ///< [sources, heads * width]
  const float* query = nullptr;             ///< [destinations, heads * width]
  const float* value = nullptr;             ///< [sources, heads * width]; may be `key`.
  const float* attention_vector = nullptr;  ///< [heads * width]
  const float* edge_weight = nullptr;       ///< [edge features, heads * width]; nullptr leaves the edges out.
  float negative_slope = 0.2F;
};

/// Added to; nullptr where no gradient is wanted. `value` may be `key`.
struct Gatv2Gradients {
  float* key = nullptr;
  float* query = nullptr;
  float* value = nullptr;
  float* attention_vector = nullptr;
  float* edge_weight = nullptr;
};

/// Fills `output` [destinations, heads * width] and `log_sum_exp` [destinations, heads], and `weights` [slots, heads]
/// (before dropout) unless it is nullptr. O(slots * heads * width * (1 + edge features)).
void gatv2_forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                   float* output, float* log_sum_exp, float* weights);

/// `output` and `statistics.log_sum_exp` as the forward pass left them. `partials`: room for
/// [incoming chunks, (1 + edge features) * heads * width].
void gatv2_backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                    const float* output, const float* output_gradient, const RowStatistics& statistics,
                    float* partials, const Gatv2Gradients& gradients);

}  // namespace edgewise::attention
