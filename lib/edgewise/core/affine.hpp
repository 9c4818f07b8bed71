#pragma once

#include <cstddef>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Several maps y = x W + b of the same rows x, such as queries, keys and values, in one pass over the rows. If x does
/// not fit into the cache, most of the time goes into reading it; here it is read once. Results are bit-identical for
/// any number of threads. Earlier contents of a `workspace` are lost.
namespace edgewise {

inline constexpr std::size_t kMaxMaps = 3;

/// One map of x [N, K]. Its matrices are dense and row-major.
struct AffineMap {
  Eigen::Index outputs;  ///< M.
  const float* weight;   ///< W [K, M].
  const float* bias;     ///< b [1, M]; nullptr: none.
  float* y;              ///< [N, M], overwritten.
};

/// Up to `kMaxMaps` maps.
void affine(ConstMatrixRef x, std::span<const AffineMap> maps, Workspace& workspace);

/// The gradients of one map.
struct AffineGradients {
  Eigen::Index outputs;
  const float* weight;
  const float* y_gradient;  ///< dy [N, M].
  float* weight_gradient;   ///< += x^T dy, [K, M]; nullptr: not computed.
  float* bias_gradient;     ///< += the sums of the columns of dy, [1, M]; nullptr: not computed.
};

/// The gradients of up to `kMaxMaps` maps, and x_gradient (+)= the sum over maps of dy W^T, in their order. If
/// x_gradient maps nullptr, it is not computed.
void affine_backward(ConstMatrixRef x, std::span<const AffineGradients> maps, MatrixMap x_gradient, Result result,
                     Workspace& workspace);

}  // namespace edgewise
