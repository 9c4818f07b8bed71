#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/tune_models.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"

/// @file
/// The pages of `edgewise compare` and `edgewise tune`.
namespace edgewise::report {

/// What they share. `result` is what `--json` prints.
struct ComparisonPage {
  std::string command;
  const train::Config& config;  ///< That of all models.
  const train::Dataset& data;
  const json::Value& result;
};

/// The page of a comparison, of one share of the training items or of several.
std::string comparison_page(const ComparisonPage& page);

/// The page of a search over `models` models. `out`: where the best configuration was written; may be empty.
std::string tuning_page(const ComparisonPage& page, const train::Search& search, std::size_t models,
                        const std::string& out);

}  // namespace edgewise::report
