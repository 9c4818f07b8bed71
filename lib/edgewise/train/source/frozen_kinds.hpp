#pragma once

#include <optional>

#include "edgewise/core/json.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What is read of a frozen network into memory: its kinds and relations, in which kinds are ranges of the nodes as in
/// Dataset::graph.
namespace edgewise::train {

/// Adds "kinds" and "relations" to the description of the network (data/freeze_network.hpp).
void describe_kinds(const NodeKinds& kinds, json::Value& description);

/// Those of a network whose nodes are called `names`; nothing if they are of one kind. Throws DataError for a
/// description that does not fit the network.
std::optional<NodeKinds> kinds_of(const data::FrozenNetwork& network, const graph::NodeNames& names);

/// The edges of such a network in any order, as Dataset::graph has them: each before its reverse.
graph::EdgeList with_reverses(const NodeKinds& kinds, const graph::EdgeList& edges);

/// Reads a frozen network into memory: Dataset::thawed.
void thaw(Dataset& data);

}  // namespace edgewise::train
