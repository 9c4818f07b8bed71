#pragma once

#include <memory>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Dynamic graph attention (Brody et al. 2022). For each head h of width D, with k = x W_k + b_k, q = x W_q + b_q:
///   score[u->v, h] = attention_vector[h] . LeakyReLU(k[u, h] + q[v, h] + edge[u->v] . edge_weight[h])
///   y[v, h]        = sum over u -> v of softmax_u(score) (k[u, h] + edge[u->v] . value_edge_weight[h])
/// Edge features are added to the values only with "edge_value". Then heads are put side by side ("concat") or averaged
/// ("mean"), followed by bias, residual and activation. With "relations": R, y is the sum over relations of such sums,
/// each over the edges of one, with maps of its own; the first R features of an edge say of which relation it is, and
/// edge[u->v] are the others.
///
/// {"type": "gatv2", "width": 8 (of each head), "heads": 1, "merge": "concat", "share_weights": false (q = k),
///  "dropout": 0 (input), "attention_dropout": 0, "feature_dropout": 0 (on k as the value, after the scores),
///  "bias": true, "projection_bias": true (b_k, b_q), "residual": false | true | "projection", "negative_slope": 0.2,
///  "activation": "none", "edge_features": "auto", "edge_value": false, "mask": "edges" | "k_hop:2" | ...
///  (graph/masks/rules.hpp), "normaliser": "softmax" | "relu" | "none", "relations": 0}
///
/// Shapes: x [N, F]; W_k, W_q [F, H*D]; attention_vector [1, H*D]; edge_weight, value_edge_weight [edge features, H*D];
/// y [N, H*D] or, averaged, [N, D]. Takes sparse input. A node with nothing to attend to gets the bias and its
/// residual, never NaN.
std::unique_ptr<Block> make_gatv2(const AttentionOptions& options, BuildContext& context);
std::unique_ptr<Block> make_gatv2(const json::Value& config, BuildContext& context);
inline std::span<const Field<AttentionOptions>> gatv2_fields() { return attention_fields(attention::Score::gatv2); }

/// Additive attention (Bahdanau et al. 2015): {"type": "bahdanau", ...} with the members of gatv2 except the slope, and
///   score[u->v, h] = attention_vector[h] . tanh(k[u, h] + q[v, h] + edge[u->v] . edge_weight[h])
std::unique_ptr<Block> make_bahdanau(const json::Value& config, BuildContext& context);
inline std::span<const Field<AttentionOptions>> bahdanau_fields() {
  return attention_fields(attention::Score::bahdanau);
}

}  // namespace edgewise::nn
