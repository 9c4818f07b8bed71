#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// y = sum over the branches of branch(x): local attention beside global one, as in GPS (Rampasek et al. 2022, eq. 4).
///
/// {"type": "parallel", "branches": [[{"type": "gatv2", ...}], [{"type": "dot_product", "mask": "complete", ...}]]}
///
/// Shapes: x [N, C]; y [N, width of every branch]. Either all branches end in a readout or none. Takes sparse input
/// when the first block of every branch does.
std::unique_ptr<Block> make_parallel(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
