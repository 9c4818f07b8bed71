#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// A node's own features beside what it gathered, not mixed with it: y = [x | block(x)]. What GAT-sep is made of
/// (Platonov et al. 2023), which matters where neighbours tend to differ. Use it on a graph without self loops and put
/// a linear or feed-forward block after it.
///
/// {"type": "concat_self", "block": {"type": "gat", ...}}
///
/// Shapes: x [N, C], y [N, C + width of the block]. Needs a dense input.
std::unique_ptr<Block> make_concat_self(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
