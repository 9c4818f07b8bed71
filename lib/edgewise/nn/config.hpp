#pragma once

#include <cstdint>
#include <string_view>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Reading the options of a block. All throw UsageError naming the member by its path.
namespace edgewise::nn {

using json::read_choice;
using json::refuse;

/// Columns that the rows of a node set may have.
inline constexpr std::int64_t kWidestRow = 1 << 24;

/// An integer of at least 1.
int read_positive(const json::Value& config, std::string_view member, int fallback);

/// A width: an integer of at least 1, or "outputs", as many as the data asks for. Required.
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape);
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape, int fallback);

}  // namespace edgewise::nn
