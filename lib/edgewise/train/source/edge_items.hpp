#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Networks whose edges have the labels: what a tie is, rather than what a node is or which ties there are.
namespace edgewise::train {

/// Reads the edges in DataConfig::edges as items, with the labels in its columns DataConfig::edge_label, which become
/// those of DataConfig::label. Their table has the other columns of the edge list and the attributes of both ends,
/// "NAME of source" and "NAME of target", or, of a relation between two kinds, KIND.NAME. Edges have a direction unless
/// the configuration says `undirected`. Throws as read_edges and data::read_labels.
Dataset read_edge_items(const DataConfig& config, const LoadOptions& options);

/// The network that the edges make: undirected between two kinds of nodes, which need no direction.
graph::Graph network_of(const EdgeItems& edges);

/// Remarks on edges between the same nodes and on those in both directions, for training.
std::vector<std::string> edge_item_notes(const Dataset& data);

/// Reads the roles of edges from a CSV file: source, target and split. Throws as read_pair_split.
data::Split read_edge_split(const std::string& path, const Dataset& data);
/// Edges between the same nodes are there once, unless they are in different parts.
void write_edge_split(const std::string& path, const Dataset& data, const data::Split& split);

}  // namespace edgewise::train
