#pragma once

#include <vector>

#include "edgewise/io/edge_list.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/kind_network.hpp"
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

/// Edges of a relation, with the kinds of nodes at its ends: one or two.
struct KindsOfRelation {
  std::vector<ReadKind> kinds;
  ReadRelation relation;
  io::EdgeListResult list;  ///< That `relation` is from.
  FileList files;           ///< Of the list.
};

/// Reads the same files for a relation whose edges have labels: that of DataConfig::edge_label
/// (KIND:RELATION:KIND.COLUMN), else the only one. Columns of two kinds are called KIND.COLUMN. In training takes the
/// names of the relation off DataConfig::label, and notes other relations as not used.
KindsOfRelation read_labelled_relation(const DataConfig& config, const LoadOptions& options, Dataset& data);

}  // namespace edgewise::train
