#pragma once

#include <cstddef>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Maps y = x W + b of the same rows x, as queries, keys and values are, in one pass over the rows: out of cache most
/// of the time goes into reading them, and here they are read once. The same bits at any number of threads. What a
/// `workspace` held before is gone.
namespace edgewise {

inline constexpr std::size_t kMostMaps = 3;

/// One map of x [N, K]. Its matrices are dense, row after row.
struct AffineMap {
  Eigen::Index outputs;  ///< M.
  const float* weight;   ///< W [K, M].
  const float* bias;     ///< b [1, M]; nullptr: none.
  float* y;              ///< [N, M], replaced.
};

/// Up to `kMostMaps` maps.
void affine(ConstMatrixRef x, std::span<const AffineMap> maps, Workspace& workspace);

/// The gradients of one map.
struct AffineGradients {
  Eigen::Index outputs;
  const float* weight;
  const float* y_gradient;  ///< dy [N, M].
  float* weight_gradient;   ///< += x^T dy, [K, M]; nullptr: not asked for.
  float* bias_gradient;     ///< += the sums of the columns of dy, [1, M]; nullptr: not asked for.
};

/// The gradients of up to `kMostMaps` maps, and x_gradient (+)= the sum over maps of dy W^T, in their order; a map of
/// nullptr: not asked for.
void affine_backward(ConstMatrixRef x, std::span<const AffineGradients> maps, MatrixMap x_gradient, Result result,
                     Workspace& workspace);

}  // namespace edgewise
