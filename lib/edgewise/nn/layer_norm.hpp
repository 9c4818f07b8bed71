#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// {"type": "layer_norm", "epsilon": 1e-5}: each node's row to mean 0 and variance 1, then a learned gain and bias a
/// column (Ba et al. 2016). Weight decay leaves gain and bias alone.
std::unique_ptr<Block> make_layer_norm(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
