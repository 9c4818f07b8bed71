#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/source/read_dataset.hpp"

namespace edgewise::app {

/// What the page of `edgewise predict` is made from.
struct PredictionPage {
  std::string command;
  const train::Dataset& data;
  const io::Predictions& predictions;
  const json::Value& result;  ///< What `--json` prints.
  std::vector<std::string> notes;
};

/// What was predicted, how sure the model is, and of which items it is least sure.
std::string to_html(const PredictionPage& page);

}  // namespace edgewise::app
