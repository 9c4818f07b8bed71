#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/report/item_places.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::report {

/// What the page of `edgewise evaluate` is made from.
struct EvaluationPage {
  std::string command;
  const train::ModelData& model;
  const train::Evaluation& evaluation;
  std::string name;  ///< Of the model: its file.
  std::vector<std::string> notes;
  std::optional<ItemPlaces> places = {};  ///< For a map.
};

/// Where a map shows the items. Of other data than a small network this costs about as much as predicting it.
std::optional<ItemPlaces> places_of(train::ModelData& model, const train::Evaluation& evaluation);

std::string to_html(const EvaluationPage& page);

}  // namespace edgewise::report
