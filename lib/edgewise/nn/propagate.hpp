#pragma once

#include <memory>

#include "edgewise/nn/block_table.hpp"

namespace edgewise::nn {

/// Personalised PageRank over what the blocks before it made (APPNP, Gasteiger et al. 2019, eq. 4):
///   z_0 = x,  z_{k+1} = (1 - restart) A z_k + restart x,  A with the symmetric weights of GCN
/// [n, width] -> [n, width]; has no parameters. Reaches far with few columns: put it after the logits.
/// Config: {"type": "propagate", "steps": 10, "restart": 0.1, "dropout": 0, "edge_weights": false}; `dropout` acts on
/// the entries of A, with a new mask each step. A node without edges keeps restart * x.
std::unique_ptr<Block> make_propagate(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
