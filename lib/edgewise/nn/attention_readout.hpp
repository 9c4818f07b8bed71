#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Gated attention pooling (Li et al. 2016, eq. 7; AttentionalAggregation of PyTorch Geometric), one row a graph: with
/// u over the nodes of graph g, for each head h,
///   score[u, h] = gate(x[u])[h],   gate(x) = x W_g, or with "hidden" activation(x W_1 + b_1) W_g
///   y[g, h]     = sum over u of softmax_u(score) value[u, h],   value = x, or with "width" x W_v + b_v
/// The heads share the columns of the value between them.
///
/// {"type": "attention_readout", "heads": 1, "width": (of each head of the value), "hidden": (of the gate),
///  "activation": "relu" (of the gate), "attention_dropout": 0, "normaliser": "softmax"}
///
/// Shapes: x [N, C]; W_1 [C, hidden]; W_g [C or hidden, H]; W_v [C, H*D]; y [graphs, C] or [graphs, H*D]. The gate has
/// no bias at its end, which a softmax would take back. A graph without nodes gives zeros.
std::unique_ptr<Block> make_attention_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
