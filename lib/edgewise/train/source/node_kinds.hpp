#pragma once

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Networks of several kinds of nodes, such as people and products: a table a kind, and edges a relation.
namespace edgewise::train {

/// Whether the files have the names of kinds and relations.
bool names_kinds(const DataConfig& config);

/// Reads DataConfig::nodes, a table for each kind by name, and DataConfig::edges, files by KIND:RELATION:KIND. A kind
/// without a table has the nodes that its edges name. The kind of DataConfig::label (KIND.COLUMN) comes first, and its
/// columns keep their names; the others follow by name. If ties are learnt, they are those of DataConfig::relation, and
/// the kind that they lead from comes first. Throws UsageError for names that are not of this form, labels of
/// none or of several kinds, and settings that are for edges of one kind; DataError with file and line for an edge to a
/// node that the table of its kind does not list.
Dataset read_node_kinds(const DataConfig& config, const LoadOptions& options);

}  // namespace edgewise::train
