#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Pooling by learned queries, one for each head and the same for all graphs (the attention of PMA, Lee et al. 2019,
/// without its residual and feed-forward). With k, v = x W + b each and u over the nodes of graph g:
///   score[u, h] = query[h] . k[u, h] / sqrt(D)
///   y[g, h]     = sum over u of softmax_u(score) v[u, h],   heads side by side
///
/// {"type": "query_readout", "heads": 1, "width": (of each head), "attention_dropout": 0, "bias": true (of k, v),
///  "normaliser": "softmax"}
///
/// Shapes: x [N, C]; W [C, H*D]; query [1, H*D]; y [graphs, H*D]. Takes sparse input. A graph without nodes gives
/// zeros.
std::unique_ptr<Block> make_query_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
