#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Graph convolution (Kipf and Welling 2017): no attention, fixed weights.
///   y[v] = sum over u -> v of w[u->v] / sqrt(d[u] d[v]) (x W)[u] + bias, d[v] = sum over u -> v of w[u->v],
/// + residual, activation. w is 1 or, with "edge_weights", the first edge feature (1 for an added self loop). The self
/// loops of the paper are the graph's: give the model {"graph": {"self_loops": true}}, as the preset does.
///
/// {"type": "gcn", "width": 64, "dropout": 0 (input), "bias": true, "residual": false | true | "projection",
///  "edge_weights": false, "activation": "none"}
///
/// Shapes: x [N, F], W [F, width], y [N, width]. Takes sparse input. A node whose weights sum to nothing (or below 0)
/// gets zeros, the bias and its residual, never NaN.
std::unique_ptr<Block> make_gcn(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
