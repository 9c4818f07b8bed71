#pragma once

#include <cstddef>
#include <optional>

#include "edgewise/core/json.hpp"

namespace edgewise::nn {

/// How many steps along the edges the output of a node depends on, at most: one for each layer that looks at neighbours
/// (`appnp`: one for each step; the mask `k_hop:k`: k), the longest way of parallel branches; and one more where
/// `gcn` or `appnp` weigh an edge by the degree of its source. `model` is expanded. Nothing where a node may depend on
/// all others (other masks, readouts).
std::optional<std::size_t> reach(const json::Value& model);

/// Whether a block of `model`, which is expanded, takes moments of all rows while it is trained (`batch_norm`).
bool has_batch_norm(const json::Value& model);

}  // namespace edgewise::nn
