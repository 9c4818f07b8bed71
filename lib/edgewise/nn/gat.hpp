#pragma once

#include <memory>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Graph attention (Velickovic et al. 2018). For each head h of width D, with z = x W:
///   score[u->v, h] = LeakyReLU(source_vector[h] . z[u, h] + destination_vector[h] . z[v, h]
///                              + edge[u->v] . edge_weight[h])
///   y[v, h]        = sum over u -> v of softmax_u(score) z[u, h]
/// Then heads are put side by side ("concat") or averaged ("mean"), followed by bias, residual and activation.
///
/// {"type": "gat", "width": 8 (of each head), "heads": 1, "merge": "concat",
///  "dropout": 0 (input), "dropout_per_head": false (a separate mask for each head, as in the authors' code),
///  "attention_dropout": 0, "feature_dropout": 0 (on z after the scores are computed: the paper's third),
///  "bias": true, "score_bias": false (one per head on both halves of the score, as in the authors' code),
///  "residual": false | true | "projection", "negative_slope": 0.2, "activation": "none", "edge_features": "auto",
///  "mask": "edges" | "k_hop:2" | ... (graph/masks/rules.hpp), "normaliser": "softmax" | "relu" | "none"}
///
/// Shapes: x [N, F]; W [F, H*D]; vectors [1, H*D]; edge_weight [edge features, H]; y [N, H*D] or, averaged, [N, D]. If
/// the mask connects two node sets, z is x_keys W, and the half of the score that belongs to v comes from
/// x_queries W_q. Takes sparse input. A node with nothing to attend to gets the bias and its residual, never NaN.
std::unique_ptr<Block> make_gat(const AttentionOptions& options, BuildContext& context);
std::unique_ptr<Block> make_gat(const json::Value& config, BuildContext& context);
inline std::span<const Field<AttentionOptions>> gat_fields() { return attention_fields(attention::Score::gat); }

}  // namespace edgewise::nn
