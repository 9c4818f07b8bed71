#pragma once

#include <span>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Row i is row rows[i] of `matrix`, or of `features`. Throws UsageError for a row beyond the last.
SparseMatrix select_rows(const SparseMatrix& matrix, std::span<const graph::Node> rows);
Features select_rows(const Features& features, std::span<const graph::Node> rows);

}  // namespace edgewise::data
