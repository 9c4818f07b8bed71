#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// The weights of attention layers as rows to be written: who attends to whom.
namespace edgewise::app {

using AttentionRecords = std::vector<nn::AttentionRecord>;

/// The mask whose layers go into one file: the `asked` one, else "edges" where a layer attends along them, else that of
/// the first layer. Throws UsageError when no layer attends between nodes over it.
std::string choose_mask(const std::string& asked, const AttentionRecords& records);

/// Those of the layers over one mask.
AttentionRecords records_over(const std::string& mask, const AttentionRecords& records);

/// The rows of layers over one mask: all slots, or those in which the node `only` attends to others. Slots of masks
/// other than "edges" have no edge of the user's.
io::AttentionTable collect_rows(const graph::FrozenGraph& mask, const AttentionRecords& records,
                           std::optional<graph::Node> only = std::nullopt);

}  // namespace edgewise::app
