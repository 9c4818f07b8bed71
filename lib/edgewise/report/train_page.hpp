#pragma once

#include <optional>
#include <string>

#include "edgewise/report/epoch_log.hpp"
#include "edgewise/report/item_places.hpp"
#include "edgewise/report/train_result.hpp"

namespace edgewise::report {

/// What the page of `edgewise train` is made from.
struct TrainPage {
  std::string command;
  const train::Config& config;
  const train::Dataset& data;
  const train::TrainedRuns& runs;            ///< At least one.
  const json::Value& result;   ///< Of `train_result`.
  const EpochLog& epochs;
  std::optional<ItemPlaces> places = {};  ///< For a map.
};

/// Where a map shows the items of the best run. Of other data than a small network this costs about as much as
/// predicting it; nothing if the run has no model then.
std::optional<ItemPlaces> places_of(train::TrainedRuns& runs, const train::Dataset& data,
                                    const train::SplitConfig& split);

/// Everything about a training on one page: the score, curves, what was tried, the data, and how to repeat it.
std::string to_html(const TrainPage& page);

}  // namespace edgewise::report
