#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// y = x + blocks(x); where the blocks change the width, y = x W + blocks(x). With a normalisation as the first block
/// this is the pre-norm block of a Transformer (Xiong et al. 2020).
///
/// {"type": "residual", "blocks": [{"type": "layer_norm"}, {"type": "gat", ...}]}
///
/// Shapes: x [N, C], y [N, width of the last block]. Takes sparse input when its first block does and the width
/// changes.
std::unique_ptr<Block> make_residual(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
