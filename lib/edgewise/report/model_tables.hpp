#pragma once

#include <string>

#include "edgewise/core/json.hpp"

/// @file
/// Several models beside each other, as parts of a page. They take the objects that `--json` prints.
namespace edgewise::report {

/// The models that `train` chose from: its member "choice".
std::string choice_section(const json::Value& choice);

/// The models of `edgewise compare`: a result of `compare_result`.
std::string comparison_section(const json::Value& result);

/// Each of several targets with its metrics: the member "targets" of `train` or `evaluate`.
std::string target_table(const json::Value& targets);

}  // namespace edgewise::report
