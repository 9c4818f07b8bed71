#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::attention {

struct AttentionGradients;

/// One way to compute attention: on one mask and inputs, with buffers of its own.
class Implementation {
 public:
  virtual ~Implementation() = default;

  /// Fills `output`.
  virtual void forward(Matrix& output) = 0;
  /// Adds to `gradients`; `output` is what the forward pass gave.
  virtual void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) = 0;
};

}  // namespace edgewise::attention
