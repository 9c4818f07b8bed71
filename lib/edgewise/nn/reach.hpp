#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "edgewise/core/json.hpp"

namespace edgewise::nn {

/// The maximum number of steps along the edges that the output of a node depends on: one per layer that looks at
/// neighbours (`appnp`: one per step; `gcn2`: one per convolution; the mask `k_hop:k`: k), where the longest of
/// parallel branches counts, and one more if `gcn`, `gcn2` or `appnp` weigh an edge by the degree of its source.
/// `model` must be expanded. Nothing if a node may depend on all others (other masks, readouts).
std::optional<std::size_t> reach(const json::Value& model);

/// Whether `model`, a preset or blocks, has this member with this value at any depth.
bool has_anywhere(const json::Value& model, std::string_view member, const json::Value& value);

/// Whether `model`, which must be expanded, has a block of attention.
bool uses_attention(const json::Value& model);

/// Whether `model`, which must be expanded, has a block that uses features of edges.
bool uses_edge_features(const json::Value& model);

}  // namespace edgewise::nn
