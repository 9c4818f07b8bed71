#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/trained_model.hpp"

/// @file
/// What is known about the items that a model predicts: their labels, their part in training, and their table columns.
namespace edgewise::train {

/// A short fingerprint of a split: a hash of the names of items (and the sources of pairs) and their roles.
std::string fingerprint_of(const Dataset& data, const data::Split& split);

/// The columns of known labels: those that the configuration names, else those of training.
const std::vector<std::string>& label_columns_of(const TrainedModel& trained, const DataConfig& config);

/// The labels of `data` in these columns, in the model's encoding; names are empty if there are none, or different
/// ones.
data::Labels labels_for(const TrainedModel& trained, const Dataset& data, const std::vector<std::string>& columns);

/// The split the model was trained with, if `data`, with its labels, is its training data.
std::optional<data::Split> training_split(const TrainedModel& trained, const Dataset& data);

/// The column "known": the texts of the label column; for several labels "known_<label>" each. From `data.labels` if
/// its table has no such columns. Empty if no label is known.
std::vector<io::TextColumn> known_columns(const Dataset& data, const std::vector<std::string>& labels);

/// The column "split": train, validation, test, or empty.
io::TextColumn split_text(const data::Split& split);

/// Columns of the items' table, of atoms that of their molecules, cell by cell as in the file; empty `names` means all.
/// For an unknown column, throws UsageError listing the existing ones.
std::vector<io::TextColumn> kept_columns(const Dataset& data, const std::vector<std::string>& names);

}  // namespace edgewise::train
