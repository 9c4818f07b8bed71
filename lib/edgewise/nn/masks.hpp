#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// What a block attends over, and whether the signal still has one row a node.
namespace edgewise::nn {

/// Throws UsageError when a readout stands before the block of `config`.
void expect_node_level(const json::Value& config, const BuildContext& context);

/// As `expect_node_level`; from here on the signal has one row a graph.
void begin_graph_level(const json::Value& config, BuildContext& context);

/// For blocks with a way past `member`: throws UsageError when there was a readout in it.
void expect_same_level(const json::Value& config, const char* member, bool was_graph_level,
                       const BuildContext& context);

/// The mask of this forward pass. Throws ModelError naming `block` when the context has none.
const graph::FrozenGraph& mask_of(const ForwardContext& context, MaskKind kind, const std::string& block);

/// One over the number of sources of a destination, for each slot; lives as long as the tape's record.
const float* mean_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

/// As `mean_weights`, all 1.
const float* unit_weights(autograd::Tape& tape, const graph::FrozenGraph& mask);

}  // namespace edgewise::nn
