#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::attention {

struct AttentionGradients;

/// One way to compute attention, on one mask and one set of inputs, with its own buffers.
class Implementation {
 public:
  virtual ~Implementation() = default;

  /// Fills `output`.
  virtual void forward(Matrix& output) = 0;
  /// Adds to `gradients`; `output` is the result of the forward pass.
  virtual void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) = 0;
};

}  // namespace edgewise::attention
