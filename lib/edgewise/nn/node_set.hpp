#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Blocks on the rows of another node set: an encoder, say, whose rows a later block attends to over a mask between the
/// two sets. The block's own rows pass by unchanged, and blocks inside may attend to them.
///
/// {"type": "node_set", "set": "memory", "blocks": [...]}
///
/// Shapes: x [N, F] to itself; the rows of the set, [M, C], become those of the last block, [M, C'].
std::unique_ptr<Block> make_node_set(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
