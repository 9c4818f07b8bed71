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
  Storage storage = Storage::float32;  ///< Of values, and of the output gradient.
};

/// Added to; nullptr where no gradient is wanted.
struct AdditiveGradients {
  float* source_score = nullptr;
  float* destination_score = nullptr;
  float* value = nullptr;
  float* edge_weight = nullptr;
};

/// The part of a destination's sums that comes from the edges whose score is positive: the softmax takes back what it
/// gives, so the score gradients of a row add up to 0, and the gradient of the destination score, with LeakyReLU's two
/// slopes, follows from this part of the sums without another look at the edges.
struct PositivePart {
  float* output = nullptr;  ///< [destinations, heads * width]: the sum of their values.
  float* weight = nullptr;  ///< [destinations, heads]: the sum of their weights before dropout.
};

/// Fills `output` [destinations, heads * width] and `log_sum_exp` [destinations, heads], and `weights` [slots, heads]
/// (before dropout) and `positive` (for the backward pass) unless they are nullptr. O(slots * heads * width).
void additive_forward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                      float* output, float* log_sum_exp, const PositivePart& positive, float* weights);

/// `output`, `positive` and `statistics.log_sum_exp` as the forward pass left them. Looks at each edge once.
/// `partials`: room for [outgoing chunks, edge features * heads] when the gradient of the edge weight is wanted.
void additive_backward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                       const float* output, const float* output_gradient, const RowStatistics& statistics,
                       const PositivePart& positive, float* partials, const AdditiveGradients& gradients);

}  // namespace edgewise::attention
