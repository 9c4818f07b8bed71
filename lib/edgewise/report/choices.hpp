#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/run/choice.hpp"

namespace edgewise::report {

/// The models tried over the runs, with their validation metrics, and the reason for the choice in the run `kept`.
json::Value choices_json(const std::vector<train::Choice>& choices, std::size_t kept);

/// The same as a table and a sentence. Only the model chosen in the run `kept` is called so.
std::string choices_text(const std::vector<train::Choice>& choices, std::size_t kept);

}  // namespace edgewise::report
