#pragma once

#include <string>

#include "edgewise/report/epoch_log.hpp"
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
};

/// Everything about a training on one page: the score, curves, what was tried, the data, and how to repeat it.
std::string to_html(const TrainPage& page);

}  // namespace edgewise::report
