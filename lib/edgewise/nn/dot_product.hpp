#pragma once

#include <memory>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Scaled dot-product attention along the edges (Vaswani et al. 2017; edges and gate as in Shi et al. 2021). For each
/// head h of width D, with q, k, v = x W + b each and e[u->v] = edge[u->v] . edge_weight:
///   score[u->v, h] = q[v, h] . (k[u, h] + e[u->v, h]) / sqrt(D)
///   m[v, h]        = sum over u -> v of softmax_u(score) (v[u, h] + e[u->v, h])
/// With "relations": R, k and v of an edge are those of its relation, x W_r + b_r, and one softmax goes over the edges
/// of all of them (HGT, Hu et al. 2020, eq. 3 and 4, with W_r for the product of the maps of the source's kind and of
/// the relation). The first R features of an edge say of which relation it is, and e is that of the others; an edge of
/// no relation is left out.
/// With "edge_mode": "bias", only score[u->v, h] += edge[u->v] . edge_bias[:, h] instead of e (Ying et al. 2021,
/// eq. 6). Then heads are put side by side ("concat") or averaged ("mean"), followed by the output projection and the
/// residual r (x, or a linear map of it with bias):
///   y = m + r, or with "beta" y = g r + (1 - g) m where g = sigmoid([m | r | m - r] . gate), one g per node.
///
/// {"type": "dot_product", "width": 8 (of each head), "heads": 1, "merge": "concat", "dropout": 0 (input),
///  "attention_dropout": 0, "bias": true (of q, k, v), "output_projection": false,
///  "residual": false | true | "projection", "beta": false, "activation": "none", "edge_features": "auto",
///  "edge_mode": "full" | "bias", "mask": "edges" | "k_hop:2" | ... (graph/masks/rules.hpp),
///  "scale": true (divide scores by sqrt(D)), "normaliser": "softmax" | "relu" | "none", "relations": 0}
///
/// Shapes: x [N, F]; W [F, H*D]; edge_weight [edge features, H*D]; edge_bias [edge features, H]; gate [3 * output
/// width, 1]; y [N, H*D] or, averaged, [N, D]. Takes sparse input, unless there are relations. A node with nothing to
/// attend to has m = 0 and keeps its residual, never NaN.
std::unique_ptr<Block> make_dot_product(const AttentionOptions& options, BuildContext& context);
std::unique_ptr<Block> make_dot_product(const json::Value& config, BuildContext& context);
inline std::span<const Field<AttentionOptions>> dot_product_fields() {
  return attention_fields(attention::Score::dot_product);
}

}  // namespace edgewise::nn
