#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// Makes the block that `config` asks for by its "type". Throws UsageError naming what is wrong in it.
std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context);

/// Makes the blocks of an array, one on the other; block i is named "<name>.<i>" after `context.name`.
std::vector<std::unique_ptr<Block>> make_blocks(const json::Value& configs, BuildContext& context);

/// The members of a block's JSON besides "type", and what they mean; of blocks that hold others none.
std::vector<FieldDoc> block_fields(const std::string& type);

/// The types there are, in the order of docs/models.md.
std::vector<std::string> block_types();

}  // namespace edgewise::nn
