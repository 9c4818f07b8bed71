#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::app {

/// What the page of `edgewise evaluate` is made from.
struct EvaluationPage {
  std::string command;
  const train::ModelData& model;
  const train::Evaluation& evaluation;
  const json::Value& result;  ///< What `--json` prints.
  std::vector<std::string> notes;
};

std::string to_html(const EvaluationPage& page);

}  // namespace edgewise::app
