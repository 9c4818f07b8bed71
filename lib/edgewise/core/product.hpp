#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Dense products, split into blocks of rows that do not depend on the number of threads: results are always
/// bit-identical. Earlier contents of a `workspace` are lost. All throw UsageError for shapes that do not fit.
namespace edgewise {

/// Whether a product replaces its result or adds to it.
enum class Result { replace, add };

/// out = a * b; [n, k] x [k, m] -> [n, m].
void multiply(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result = Result::replace);

/// out = a * b^T; [n, k] x [m, k] -> [n, m].
void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace);

/// out = a^T * b; [n, k], [n, m] -> [k, m]. The sum over rows is split into blocks, which are added in order.
void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace,
                        Result result = Result::replace);

/// out [1, m] += the sums of the columns of a [n, m], with the same blocks.
void add_column_sums(ConstMatrixRef a, MatrixRef out, Workspace& workspace);

}  // namespace edgewise
