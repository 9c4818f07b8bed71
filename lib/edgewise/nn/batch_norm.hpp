#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// {"type": "batch_norm", "epsilon": 1e-5, "momentum": 0.1}: each column to mean 0 and variance 1 over all nodes, then
/// a learned gain and bias (Ioffe and Szegedy 2015). Running moments are state that is saved with the model and used
/// in evaluation. Weight decay leaves gain and bias alone.
std::unique_ptr<Block> make_batch_norm(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
