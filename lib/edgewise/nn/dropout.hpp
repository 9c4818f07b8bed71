#pragma once

#include <memory>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// {"type": "dropout", "probability": 0.5}: in training, zeroes elements and scales up the others; else nothing. Takes
/// sparse input, of which it drops non-zeros.
std::unique_ptr<Block> make_dropout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
