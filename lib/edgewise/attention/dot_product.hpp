#pragma once

#include "edgewise/attention/options.hpp"

/// @file
/// Scaled dot-product attention along the edges (Vaswani et al. 2017, eq. 1; with edges as in Shi et al. 2021,
/// eq. 3-4), fused:
///   e[u->v]        = edge[u->v, :] . edge_weight                              [heads * width]
///   score[u->v, h] = query[v, h] . (key[u, h] + e[u->v, h]) / sqrt(width) + edge[u->v, :] . edge_bias[:, h]
///   output[v, h]   = sum over u -> v of softmax_u(score) * (value[u, h] + e[u->v, h])
/// e itself is never made: query . edge_weight is taken once a destination, and the edge features are summed with the
/// attention weights before they are multiplied. The bias, a number an edge feature and head, is that of Ying et al.
/// 2021, eq. 6, for features that tell distances apart; it needs no edge_weight. A node with nothing to attend to gets
/// zeros.
namespace edgewise::attention {

struct DotProductInputs {
  int heads = 1;
  int width = 1;
  const float* query = nullptr;        ///< [destinations, heads * width]
  const float* key = nullptr;          ///< [sources, heads * width]
  const float* value = nullptr;        ///< [sources, heads * width]
  const float* edge_weight = nullptr;  ///< [edge features, heads * width]; nullptr leaves e out.
  const float* edge_bias = nullptr;    ///< [edge features, heads]; nullptr leaves the bias out.
  Storage storage = Storage::float32;  ///< Of the three tables, and of the output gradient.
};

/// Added to; nullptr where no gradient is wanted.
struct DotProductGradients {
  float* query = nullptr;
  float* key = nullptr;
  float* value = nullptr;
  float* edge_weight = nullptr;
  float* edge_bias = nullptr;
};

/// Per destination, [destinations, edge features * heads] each; only needed with an edge weight.
struct DotProductEdgeSums {
  float* query = nullptr;     ///< query . edge_weight, from the forward pass.
  float* features = nullptr;  ///< Edge features summed with the attention weights, from the forward pass.
  float* gradient = nullptr;  ///< Output gradient . edge_weight, filled by the backward pass.
};

/// Fills `output` [destinations, heads * width] and `log_sum_exp` [destinations, heads], and `weights` [slots, heads]
/// (before dropout) unless it is nullptr. O(slots * heads * (width + edge features)).
void dot_product_forward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                         const WeightDropout& dropout, float* output, float* log_sum_exp,
                         const DotProductEdgeSums& edge_sums, float* weights);

/// `output`, `statistics.log_sum_exp` and `edge_sums` as the forward pass left them. `partials`: room for
/// [incoming chunks, edge features * heads * (width with an edge weight + 1 with an edge bias)].
void dot_product_backward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                          const WeightDropout& dropout, const float* output, const float* output_gradient,
                          const RowStatistics& statistics, const DotProductEdgeSums& edge_sums, float* partials,
                          const DotProductGradients& gradients);

}  // namespace edgewise::attention
