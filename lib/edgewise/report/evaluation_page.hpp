#pragma once

#include <string>
#include <vector>

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
};

std::string to_html(const EvaluationPage& page);

}  // namespace edgewise::report
