#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/jobs/choice.hpp"

namespace edgewise::app {

/// The models tried over the runs, with their validation metrics, and the reason for the choice in the last run.
json::Value choices_json(const std::vector<train::Choice>& choices);

/// The same as a table and a sentence.
std::string choices_text(const std::vector<train::Choice>& choices);

}  // namespace edgewise::app
