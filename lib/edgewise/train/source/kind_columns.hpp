#pragma once

#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Networks of several kinds of nodes in one table and one edge list, with a column that says which kind and which
/// relation, such as triples, or in a graph file with such attributes.
namespace edgewise::train {

bool has_kind_columns(const DataConfig& config);

/// Reads DataConfig::nodes, whose column DataConfig::node_kind has the kind of each node, and DataConfig::edges,
/// whose column DataConfig::edge_kind has the relation of each edge; or the same attributes of DataConfig::graph.
/// Without the first all nodes are of the kind "node", without the second all edges are of a relation "to". A kind
/// has the columns in which it has values. The kind with the labels is that of the prefix of DataConfig::label, or
/// the only one with such values. A model keeps its relations, in DataConfig::relations. Otherwise as
/// read_node_kinds. Throws UsageError for settings that do not go together and labels of several kinds, DataError
/// with file and line for a kind or a relation that is missing, and for one that a model does not know.
Dataset read_kind_columns(const DataConfig& config, const LoadOptions& options);

}  // namespace edgewise::train
