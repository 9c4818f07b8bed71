#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Reading the options of a block. All throw UsageError naming the member by its path.
namespace edgewise::nn {

/// Columns that the rows of a node set may have.
inline constexpr std::int64_t kWidestRow = 1 << 24;

/// "model: blocks[1].heads: expected ..., got 0"
[[noreturn]] void refuse(const json::Value& config, std::string_view member, std::string_view expected);

/// Throws UsageError for a member of `config` that is not among `known`.
void allow_only(const json::Value& config, std::span<const std::string_view> known);

/// The double with the fewest digits that is this float.
double shortest(float value);

/// An integer of at least 1.
int read_positive(const json::Value& config, std::string_view member, int fallback);

/// "heads": an integer from 1 to kMaxHeads.
int read_heads(const json::Value& config, int fallback);

/// A width: an integer of at least 1, or "outputs", as many as the data asks for. Required.
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape);
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape, int fallback);

/// In [0, 1).
float read_probability(const json::Value& config, std::string_view member, float fallback);

/// The index of the member's text in `choices`.
int read_choice(const json::Value& config, std::string_view member, const std::vector<std::string>& choices,
                int fallback);

}  // namespace edgewise::nn
