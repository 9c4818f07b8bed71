#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/variants.hpp"

namespace edgewise::attention::detail {

/// additive.hpp, gatv2.hpp and dot_product.hpp as they are, with the buffers they ask for.
class SparseFused {
 public:
  SparseFused(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose);

  void forward(Matrix& output);
  /// Adds to `gradients`.
  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients);

 private:
  const graph::FrozenGraph& mask_;
  const AttentionInputs& inputs_;
  Matrix log_sum_exp_;
  Matrix dot_;
  Matrix positive_output_;  ///< Additive only, as `positive_weight_`.
  Matrix positive_weight_;
  Matrix partials_;  ///< GATv2 only: of the attention vector.
};

}  // namespace edgewise::attention::detail
