#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise {

/// All entries of `dense` stored, zeros too: where an entry that is not stored means something else than 0.
SparseMatrix with_all_entries(const Matrix& dense);

/// [left | right]: their stored entries. Both have as many rows.
SparseMatrix side_by_side(const SparseMatrix& left, const SparseMatrix& right);

}  // namespace edgewise
