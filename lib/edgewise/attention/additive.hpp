#pragma once

#include "edgewise/attention/options.hpp"

/// @file
/// Additive attention along the edges (GAT, Velickovic et al. 2018, eq. 1-4), fused:
///   score[u->v, h] = LeakyReLU(source_score[u, h] + destination_score[v, h] + edge[u->v, :] . edge_weight[:, h])
///   output[v, h]   = sum over u -> v of softmax_u(score) * value[u, h]
/// A node with nothing to attend to gets zeros.
namespace edgewise::attention {

struct AdditiveInputs {
  int heads = 1;
  int width = 1;
  const float* source_score = nullptr;       ///< [sources, heads]
  const float* destination_score = nullptr;  ///< [destinations, heads]
  const float* value = nullptr;              ///< [sources, heads * width]
  const float* edge_weight = nullptr;        ///< [edge features, heads]; nullptr leaves the edges out.
  float negative_slope = 0.2F;
};

/// Added to; nullptr where no gradient is wanted.
struct AdditiveGradients {
  float* source_score = nullptr;
  float* destination_score = nullptr;
  float* value = nullptr;
  float* edge_weight = nullptr;
};

/// Fills `output` [destinations, heads * width] and `log_sum_exp` [destinations, heads], and `weights` [slots, heads]
/// (before dropout) unless it is nullptr. O(slots * heads * width).
void additive_forward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                      float* output, float* log_sum_exp, float* weights);

/// `output` and `statistics.log_sum_exp` as the forward pass left them. `score_gradients`: room for [slots, heads],
/// since a score's gradient is one number for both ends, and keeping it saves a second gather of the values.
/// `partials`: room for [incoming chunks, edge features * heads] when the gradient of the edge weight is wanted.
void additive_backward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                       const float* output, const float* output_gradient, const RowStatistics& statistics,
                       float* score_gradients, float* partials, const AdditiveGradients& gradients);

}  // namespace edgewise::attention
