#pragma once

#include <cstdint>
#include <span>

#include "edgewise/core/matrix.hpp"

/// @file
/// Products of a dense matrix in which every head, a group of result columns, sees the matrix through its own dropout
/// mask. Made for narrow heads: the matrices with dropout are never written.
namespace edgewise {

/// The masks of a matrix [n, k], one per head, each bit drawn once. Bit row * k + column of a head's words is set if
/// the head sees that element. What it sees is multiplied by `scale`.
struct HeadMasks {
  int heads;
  float scale;
  std::size_t head_words;
  const std::uint32_t* bits;  ///< [heads, head_words].
};

/// Words in one head's mask of `elements` elements.
std::size_t mask_words(std::size_t elements);

/// Draws the mask of each key into `bits`, [keys, mask_words(elements)]: the same masks as `autograd::dropout`.
HeadMasks draw_masks(float probability, std::span<const std::uint64_t> keys, std::size_t elements, std::uint32_t* bits);

/// out[:, h] = (a under mask h) * b[:, h]; a [n, k], b [k, m], out [n, m]. Each head has m / heads columns.
void multiply_masked(ConstMatrixRef a, const HeadMasks& masks, ConstMatrixRef b, MatrixRef out);

/// The gradients of `multiply_masked`. `b_gradient` is added to, `a_gradient` replaced or added to; one without rows is
/// not computed.
struct MaskedGradients {
  MatrixMap a_gradient;
  bool is_a_replaced;
  MatrixMap b_gradient;
};
void multiply_masked_backward(ConstMatrixRef a, const HeadMasks& masks, ConstMatrixRef b, ConstMatrixRef out_gradient,
                              MaskedGradients gradients);

}  // namespace edgewise
