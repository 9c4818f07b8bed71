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

/// out = a * b + row in every row; [n, k] x [k, m] + [1, m] -> [n, m].
void multiply_and_add_row(ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef row, MatrixRef out, Workspace& workspace);

/// out = a * b^T; [n, k] x [m, k] -> [n, m].
void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result = Result::replace);

/// out = a^T * b; [n, k], [n, m] -> [k, m]: the sum over rows goes through blocks added in their order.
void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result = Result::replace);

/// out += a^T * b, as `multiply_transpose`, and sums [1, m] += those of the columns of b, in one pass over b.
void add_transposed_product_and_sums(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, MatrixRef sums, Workspace& workspace);

/// out [1, m] += the sums of the columns of a [n, m], through the same blocks.
void add_column_sums(ConstMatrixRef a, MatrixRef out, Workspace& workspace);

}  // namespace edgewise
