#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"

/// @file
/// Parts of a page that say what a result rests on: the data, and how to make it again.
namespace edgewise::report {

/// The data, its labels by part, and what was noted about it. `notes` may repeat those of the data.
std::string data_section(const train::Dataset& data, const std::optional<data::Split>& split,
                         const std::vector<std::string>& notes);

/// How a result was made.
struct HowMade {
  std::string command = {};
  std::optional<std::uint64_t> seed = {};
  std::vector<std::pair<std::string, std::string>> more = {};  ///< Other facts, as plain texts.
  std::string settings_name = {};  ///< What `settings` are: "the configuration"
  json::Value settings = {};       ///< Null: none are shown.
};
std::string repeat_section(const HowMade& how);

}  // namespace edgewise::report
