#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Two linear maps with an activation between them, each node by itself (Vaswani et al. 2017, eq. 2):
///   y = dropout(activation(x W_1 + b_1)) W_2 + b_2
///
/// {"type": "feed_forward", "hidden": 128, "width": (that of the input), "activation": "gelu", "dropout": 0}
///
/// Shapes: x [N, C], W_1 [C, hidden], W_2 [hidden, width], y [N, width]. Takes sparse input.
std::unique_ptr<Block> make_feed_forward(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
