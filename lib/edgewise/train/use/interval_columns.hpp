#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/calibration.hpp"
#include "edgewise/train/model/trained_model.hpp"

namespace edgewise::train {

/// Intervals as columns beside predictions, one text per row: "set" with the classes joined by "|"; "set_<label>" with
/// 0, 1 or "0|1" for several labels; "lower_<target>" and "upper_<target>" for numbers. Rows without a prediction are
/// empty.
std::vector<io::TextColumn> interval_columns(const Intervals& intervals, data::Task task,
                                             const std::vector<std::string>& names);

/// Puts them before the other columns that follow the predictions. Throws as Calibration::check_level.
void add_intervals(const TrainedModel& trained, double level, io::Predictions& table);

}  // namespace edgewise::train
