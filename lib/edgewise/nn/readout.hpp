#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// One row a graph out of one row a node: with u over the nodes of graph g,
///   y[g] = sum of x[u] | mean of x[u] | max of x[u] in each column | [sum | mean | max].
///
/// {"type": "readout", "kind": "sum" | "mean" | "max" | "sum_mean_max"}
///
/// Shapes: x [N, C]; y [graphs, C], or [graphs, 3 C]. A graph without nodes gives zeros. Later blocks see one row
/// per graph; those that attend along edges are refused there.
std::unique_ptr<Block> make_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
