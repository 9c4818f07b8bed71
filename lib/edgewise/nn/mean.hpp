#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Mean of the neighbours (GraphSAGE, Hamilton et al. 2017, without sampling): attention with all weights equal.
///   y[v] = mean over u -> v of (x W)[u] + bias + x[v] W_root, activation.
///
/// {"type": "mean", "width": 64, "dropout": 0 (input), "bias": true, "root": true (the last term),
///  "activation": "none"}
///
/// Shapes: x [N, F], W and W_root [F, width], y [N, width]. Takes sparse input. A node without neighbours has a mean of
/// zeros.
std::unique_ptr<Block> make_mean(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
