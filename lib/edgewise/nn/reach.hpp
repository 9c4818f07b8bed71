#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "edgewise/core/json.hpp"

namespace edgewise::nn {

/// How many steps along the edges the output of a node depends on, at most: one for each layer that looks at neighbours
/// (`appnp`: one for each step; the mask `k_hop:k`: k), the longest way of parallel branches; and one more where
/// `gcn` or `appnp` weigh an edge by the degree of its source. `model` is expanded. Nothing where a node may depend on
/// all others (other masks, readouts).
std::optional<std::size_t> reach(const json::Value& model);

/// Whether `model`, a preset or blocks, has this member with this value, however deep.
bool has_anywhere(const json::Value& model, std::string_view member, const json::Value& value);

}  // namespace edgewise::nn
