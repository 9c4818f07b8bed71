#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::data::detail {

/// The part of each node by METIS (Karypis and Kumar 1998), of about equal numbers of edges, with few edges between
/// them. None is empty. Nothing without METIS, or if it finds no such parts.
std::optional<std::vector<std::uint32_t>> metis_parts(const graph::FrozenGraph& graph, std::size_t parts);

}  // namespace edgewise::data::detail
