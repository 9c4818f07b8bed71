#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>

namespace edgewise {

/// Row-major floats; one row per node, heads side by side in the row: [nodes, heads * width].
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;
/// Arguments of kernels: any block of rows and columns of a row-major matrix, without a copy.
using MatrixRef = Eigen::Ref<Matrix>;
using ConstMatrixRef = Eigen::Ref<const Matrix>;

/// Compressed rows (`outerIndexPtr`, `innerIndexPtr`, `valuePtr`); always kept compressed.
using SparseMatrix = Eigen::SparseMatrix<float, Eigen::RowMajor, std::int32_t>;

}  // namespace edgewise
