#pragma once

#include <cstddef>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The result of `edgewise compare`, as JSON and as text.
namespace edgewise::app {

inline constexpr const char* kCompareSchema = "edgewise.compare/1";

/// The result of a comparison with at least one contender. `planned`: the number of models that were to be compared.
json::Value compare_result(const train::Dataset& data, const train::Comparison& comparison, std::size_t planned);

/// The table and the verdict of a result of `compare_result`.
std::string compare_text(const json::Value& result);

/// The test metric of such results, each with its "share": one row per model, one column per share.
std::string shares_table(const json::Array& shares);

}  // namespace edgewise::app
