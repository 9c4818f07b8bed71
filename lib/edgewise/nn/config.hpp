#pragma once

#include <cstdint>
#include <string_view>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Readers of block options. All throw UsageError naming the member by its path.
namespace edgewise::nn {

using json::read_choice;
using json::refuse;

/// The maximum number of columns of a node set.
inline constexpr std::int64_t kWidestRow = 1 << 24;

/// The maximum width of a block in its configuration.
inline constexpr std::int64_t kWidestBlock = 1'000'000;

/// The maximum number of layers or steps. More are typing errors, or the work of a hostile model file.
inline constexpr std::int64_t kMostLayers = 1000;

/// From 1 to kMostLayers.
using LayerCount = json::Integer<1, kMostLayers>;

/// An integer of at least 1.
int read_positive(const json::Value& config, std::string_view member, int fallback);

/// A width: an integer of at least 1, or "outputs", the number that the data needs. Required.
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape);
int read_width(const json::Value& config, std::string_view member, const ModelShape& shape, int fallback);

/// Attention once had a member "storage", "float32" or "bfloat16", for the rows that edges read; they are always
/// float32 now. Returns what was saved then without this member, at any depth.
json::Value without_storage(const json::Value& saved);
/// Throws UsageError if a request for a block or preset still has it.
void refuse_storage(const json::Value& config);

}  // namespace edgewise::nn
