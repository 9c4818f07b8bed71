#pragma once

#include <string>
#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"

namespace edgewise::report {

/// What the page of `edgewise predict` is made from.
struct PredictionPage {
  std::string command;
  const train::Dataset& data;
  const io::Predictions& predictions;
  std::string model;  ///< Its file.
  std::string out;    ///< Where all predictions are.
  std::vector<std::string> notes;
};

/// What was predicted, how sure the model is, and of which items it is least sure.
std::string to_html(const PredictionPage& page);

}  // namespace edgewise::report
