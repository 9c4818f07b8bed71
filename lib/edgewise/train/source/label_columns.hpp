#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// The columns to learn, made ready: lists of labels become columns, bounds are told from values.
namespace edgewise::train {

/// Splits the lists of labels in `table` as DataConfig::separator says, into those of the model or all that occur, and
/// replaces DataConfig::label by them; DataConfig::label_list keeps the column's name. Does nothing without a
/// separator, if a model's labels are not asked for, or if the table does not have the column. Throws UsageError unless
/// one column is to be learnt as multi-label, and as data::split_label_lists.
void split_label_lists(const LoadOptions& options, io::NodeTable& table, DataConfig& config);

/// Prepares the columns `labels` of a model for `task`, which knows the labels `known`, in other data than that of its
/// training: lists with other labels stay as they are.
void prepare_known_labels(const std::vector<std::string>& labels, const std::vector<std::string>& known,
                          data::Task task, DataConfig config, io::NodeTable& table);

/// DataConfig::relation if nothing is a bound.
inline constexpr std::string_view kNoRelation = "none";

/// Prepares the columns `labels` (see data::prepare_label_columns) for the task, if it is known, and tells bounds from
/// values as DataConfig::relation says, which becomes the name of the column of relations in use. Throws DataError if
/// that holds something else, UsageError for relations of several labels.
void prepare_labels(const std::vector<std::string>& labels, std::optional<data::Task> task, io::NodeTable& table,
                    DataConfig& config);

}  // namespace edgewise::train
