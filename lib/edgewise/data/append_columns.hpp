#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Appends `added`, which has as many rows, to the columns of `to`, dense or sparse.
void append_columns(const Matrix& added, Features& to);
void append_columns(const Matrix& added, Matrix& to);

}  // namespace edgewise::data
