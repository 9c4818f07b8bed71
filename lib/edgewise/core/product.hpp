#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Dense products, cut into blocks of rows that do not depend on the number of threads: the same bits always.
/// What a `workspace` held before is gone.
namespace edgewise {

/// Whether a product replaces its result or adds to it.
enum class Result { replace, add };

/// out = a * b; [n, k] x [k, m] -> [n, m].
void multiply(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result = Result::replace);

/// out = a * b^T; [n, k] x [m, k] -> [n, m].
void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace,
                           Result result = Result::replace);

/// out = a^T * b; [n, k], [n, m] -> [k, m]: the sum over rows goes through blocks added in their order.
void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace,
                        Result result = Result::replace);

/// out [1, m] += the sums of the columns of a [n, m], through the same blocks.
void add_column_sums(ConstMatrixRef a, MatrixRef out, Workspace& workspace);

}  // namespace edgewise
