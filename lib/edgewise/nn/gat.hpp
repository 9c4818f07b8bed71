#pragma once

#include <memory>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Graph attention (Velickovic et al. 2018). For each head h of width D, with z = x W:
///   score[u->v, h] = LeakyReLU(source_vector[h] . z[u, h] + destination_vector[h] . z[v, h]
///                              + edge[u->v] . edge_weight[h])
///   y[v, h]        = sum over u -> v of softmax_u(score) z[u, h]
/// then heads side by side ("concat") or averaged ("mean"), + bias, + residual, activation.
///
/// {"type": "gat", "width": 8 (of each head), "heads": 1, "merge": "concat",
///  "dropout": 0 (input), "dropout_per_head": false (a mask of its own for each head, as the authors' code has it),
///  "attention_dropout": 0, "feature_dropout": 0 (on z after the scores were taken from it: the paper's third),
///  "bias": true, "score_bias": false (one a head on both halves of the score, as the authors' code has it),
///  "residual": false | true | "projection", "negative_slope": 0.2, "activation": "none", "edge_features": "auto",
///  "mask": "edges" | "k_hop:2" | ... (graph/masks/rules.hpp), "normaliser": "softmax" | "relu" | "none"}
///
/// Shapes: x [N, F]; W [F, H*D]; vectors [1, H*D]; edge_weight [edge features, H]; y [N, H*D] or, averaged, [N, D].
/// Where the mask goes from one node set to another, z is x_keys W, and the score of v is taken of x_queries W_q.
/// Takes sparse input. A node with nothing to attend to gets the bias and its residual, never NaN.
std::unique_ptr<Block> make_gat(const AttentionOptions& options, BuildContext& context);
std::unique_ptr<Block> make_gat(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
