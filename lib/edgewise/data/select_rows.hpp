#pragma once

#include <span>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Row i is row rows[i] of `features`.
Features select_rows(const Features& features, std::span<const graph::Node> rows);

}  // namespace edgewise::data
