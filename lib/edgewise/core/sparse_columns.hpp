#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise {

/// Stores all entries of `dense`, including zeros, for when an entry that is not stored means something other than 0.
SparseMatrix with_all_entries(const Matrix& dense);

/// [left | right], with their stored entries. Both must have the same number of rows.
SparseMatrix side_by_side(const SparseMatrix& left, const SparseMatrix& right);

}  // namespace edgewise
