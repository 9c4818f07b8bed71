#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Set2Set (Vinyals et al. 2016, eq. 3-7), one row a graph: an LSTM asks the nodes of its graph `steps` times. From
/// zeros, with u over the nodes of graph g,
///   q, c     = LSTM([q | r], c)
///   r[g]     = sum over u of softmax_u(q[g] . x[u]) x[u]
/// and y = [q | r] of the last step. The gates of the LSTM are in the order input, forget, cell, output:
/// [q | r] W_i + b_i + q W_h.
///
/// {"type": "set2set", "steps": 3}
///
/// Shapes: x [N, C]; W_i [2 C, 4 C]; W_h [C, 4 C]; y [graphs, 2 C]. A graph without nodes gives zeros. The weights of
/// the last step are recorded.
std::unique_ptr<Block> make_set2set(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
