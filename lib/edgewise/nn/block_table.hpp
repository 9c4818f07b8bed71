#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/sequence.hpp"

namespace edgewise::nn {

/// Makes the block that `config` asks for by its "type". Throws UsageError naming what is wrong in it.
std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context);

/// Makes the blocks of an array, one on the other; block i is named "<name>.<i>" after `context.name`.
std::unique_ptr<Sequence> make_sequence(const json::Value& configs, BuildContext& context);

/// What a block holds inside: the block, or the array of blocks, that its `member` is, named "<name>.<member>".
std::unique_ptr<Block> make_inner(const json::Value& config, const char* member, BuildContext& context);

/// The members of a block's JSON besides "type", and what they mean.
std::vector<json::FieldDoc> block_fields(const std::string& type);

/// The types there are, in the order of docs/models.md.
std::vector<std::string> block_types();

}  // namespace edgewise::nn
