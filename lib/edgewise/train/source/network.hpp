#pragma once

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// What is read beside the edges of one graph: the table of its nodes, with their labels, and their features.
namespace edgewise::train {

/// Reads the table in DataConfig::nodes; DataConfig::id becomes the column that names the nodes.
io::NodeTable read_nodes(const LoadOptions& options, DataConfig& config);

/// Gives nodes that were added to `names` after the rows of the table rows without values.
void add_rows(const graph::NodeNames& names, io::NodeTable& table);

/// Reads the labels of the items from the columns of their table. Throws UsageError if there are none to learn,
/// DataError as data::read_labels.
void load_labels(const LoadOptions& options, Dataset& data);

/// Once a graph and its table are read: reads features and labels, keeps the wanted component, adds encodings.
void complete_network(const LoadOptions& options, Dataset& data);

/// Adds encodings for the labelled nodes of one graph. Throws UsageError for those of many graphs.
void add_encodings(Dataset& data);

}  // namespace edgewise::train
