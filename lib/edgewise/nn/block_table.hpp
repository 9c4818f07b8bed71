#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/sequence.hpp"

namespace edgewise::nn {

/// Makes the block that `config` describes by its "type". Throws UsageError that names the problem.
std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context);

/// Makes the blocks of an array, to run one after the other; block i is named "<name>.<i>" after `context.name`.
std::unique_ptr<Sequence> make_sequence(const json::Value& configs, BuildContext& context);

/// Makes the block, or the array of blocks, inside another block, in its `member`; named "<name>.<member>".
std::unique_ptr<Block> make_inner(const json::Value& config, const char* member, BuildContext& context);

/// The members of a block's JSON besides "type", and what they mean.
std::vector<json::FieldDoc> block_fields(const std::string& type);

/// Whether such blocks give rows of graphs from those of their nodes.
bool is_readout(const std::string& type);

/// All types, in alphabetical order of their headers.
std::vector<std::string> block_types();

}  // namespace edgewise::nn
