#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// The columns to learn, made ready: lists of labels become columns, bounds are told from values.
namespace edgewise::train {

/// Splits the lists of labels in `table` as DataConfig::separator says, into those of the model or all that occur, and
/// replaces DataConfig::label by them; DataConfig::label_list keeps the column's name. Does nothing without a separator,
/// or if the table does not have the column. Throws UsageError unless one column is to be learnt as multi-label.
void split_label_lists(const LoadOptions& options, io::NodeTable& table, DataConfig& config);

/// Prepares the columns `labels` (see data::prepare_label_columns) for the task, if it is known, and tells bounds from
/// values as DataConfig::relation says, which becomes the name of the column of relations in use. Throws DataError if the table has the labels but not
/// the column of relations, or if that holds something else; UsageError for relations of several labels.
void prepare_labels(const std::vector<std::string>& labels, std::optional<data::Task> task, io::NodeTable& table,
                    DataConfig& config);

/// A note if values to be learnt are bounds, or are marked as such and learnt as if they were exact.
std::vector<std::string> bound_notes(const JobData& data);

}  // namespace edgewise::train
