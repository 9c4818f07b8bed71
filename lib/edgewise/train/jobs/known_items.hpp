#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/jobs/trained_model.hpp"

/// @file
/// What is known of the items that a model is asked about: their labels, the part that each had in training, and the
/// columns of their table.
namespace edgewise::train {

/// Short text that tells one split of some items from others: a hash of their names and roles.
std::string mark_of(const graph::NodeNames& items, const data::Split& split);

/// The labels of `data` as the model knows them; names are empty where the data has none, or others.
data::Labels labels_for(const TrainedModel& trained, const JobData& data);

/// The split that the model was trained with, when `data`, with its labels, is the data that it was trained on.
std::optional<data::Split> training_split(const TrainedModel& trained, const JobData& data);

/// The column "known": the texts of the label column; of several "known_<label>" each. From `data.labels` where its
/// table has no such columns. Empty where nothing is known of any label.
std::vector<io::TextColumn> known_columns(const JobData& data, const std::vector<std::string>& labels);

/// The column "split": train, validation, test, or nothing.
io::TextColumn split_text(const data::Split& split);

/// Columns of the table of the items, cell by cell as the file has them; `names` empty: all. Throws UsageError for one
/// that there is not, listing those that there are.
std::vector<io::TextColumn> kept_columns(const JobData& data, const std::vector<std::string>& names);

}  // namespace edgewise::train
