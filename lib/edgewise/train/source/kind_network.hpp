#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"
#include "edgewise/train/source/read_kinds.hpp"

/// @file
/// A network of several kinds of nodes from what was read of each kind and each relation.
namespace edgewise::train {

/// Throws UsageError for what is for edges between nodes of one kind.
void refuse_settings_of_one_kind(const DataConfig& config);

/// Leaves out edges that are there already, also the other way round if both ways are alike.
void drop_repeated(ReadRelation& read);

/// KIND:RELATION:KIND.
std::string name_of_relation(std::string_view source, std::string_view name, std::string_view target);

/// Place of the relation whose ties are learnt: DataConfig::relation, else the only one. Throws UsageError listing
/// them.
std::size_t asked_relation(const DataConfig& config, const std::vector<std::string>& relations);

/// The kind that a column's name begins with (KIND.COLUMN), of several the longest; empty if there is none.
std::string kind_of_column(const std::string& name, const std::vector<std::string>& kinds);

/// The kind that has the labels: of DataConfig::label, else as a model says, else the first. Throws UsageError for
/// labels of none or of several kinds.
std::string kind_of_labels(const std::vector<std::string>& kinds, const DataConfig& config);

/// Leaves in the lists of columns of `config` those of the kind with the labels, called as in their table.
void take_names(const std::string& kind, const std::vector<std::string>& kinds, DataConfig& config);

/// Models to try where nodes are of several kinds, simple ones first: the columns of the items alone, then what
/// relations add. None of nodes of one kind.
std::vector<std::string> candidates_of_kinds(const Dataset& data);

/// Makes one network, with the labels in the table of the first kind, and notes what kinds lack. `asked`: the relation
/// whose ties are learnt. Throws UsageError if its edges would not fit the memory, and as load_labels.
void join_kinds(std::vector<ReadKind> kinds, std::vector<ReadRelation> relations, std::optional<std::size_t> asked,
                const LoadOptions& options, Dataset& data);

}  // namespace edgewise::train
