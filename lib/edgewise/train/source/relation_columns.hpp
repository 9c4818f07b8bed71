#pragma once

#include <string>
#include <vector>

#include "edgewise/io/edge_list_result.hpp"
#include "edgewise/train/source/load_options.hpp"
#include "edgewise/train/source/read_kinds.hpp"

/// @file
/// Columns of the edges between kinds of nodes that are features of them (DataConfig::edge_features).
namespace edgewise::train {

/// The columns of a list of edges that are asked for in one of `relations`, with a row for each edge; no columns if
/// there are none. COLUMN is that of every relation, KIND:RELATION:KIND.COLUMN that of one. `config` has the files of
/// `list`.
io::NodeTable read_columns(const DataConfig& config, const std::vector<std::string>& relations,
                           const io::EdgeListResult& list, const LoadOptions& options);

/// Gives a relation its columns of `table`, but, unless a model has them, those in which it has no value. Throws
/// DataError with file and line for a text where a model learnt numbers.
void take_columns(const io::NodeTable& table, const std::string& relation, const LoadOptions& options, Dataset& data,
                  ReadRelation& read);

/// Replaces DataConfig::edge_features by the full names of the columns that were taken. Throws UsageError for a name
/// that is none of them.
void take_column_names(const std::vector<ReadRelation>& relations, DataConfig& config);

/// Notes numbers far outside of those in training, a line for each column.
void note_far_values(const std::vector<ReadRelation>& relations, const std::vector<ReadKind>& kinds, Dataset& data);

/// The features that columns become: a number each, or a 0/1 feature for each category.
std::vector<std::string> feature_names(const std::vector<io::Column>& columns);

/// Writes those of a row.
void write_features(const std::vector<io::Column>& columns, std::size_t row, float* features);

}  // namespace edgewise::train
