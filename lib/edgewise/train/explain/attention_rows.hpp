#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Attention weights as table rows: who attends to whom.
namespace edgewise::train {

using AttentionRecords = std::vector<nn::AttentionRecord>;

/// The mask whose layers go into one file: `requested` if given, else "edges" if a layer attends along edges, else the
/// mask of the first layer. Throws UsageError when no layer attends between nodes over that mask.
std::string choose_mask(const std::string& requested, const AttentionRecords& records);

/// The records of the layers over one mask.
AttentionRecords records_over(const std::string& mask, const AttentionRecords& records);

/// The rows of layers over one mask: all slots, or only those in which the node `only` attends. Slots of masks other
/// than "edges" do not refer to an edge of the input.
io::AttentionTable collect_rows(const graph::FrozenGraph& mask, const AttentionRecords& records,
                                std::optional<graph::Node> only = std::nullopt);

/// The words or characters of `count` nodes from `first` on; empty if the nodes are none.
std::vector<std::string> tokens_of(const Dataset& data, graph::Node first, std::size_t count);

}  // namespace edgewise::train
