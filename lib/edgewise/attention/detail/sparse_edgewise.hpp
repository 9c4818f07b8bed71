#pragma once

#include "edgewise/attention/variants.hpp"

namespace edgewise::attention::detail {

/// The usual pipeline of graph libraries, an edge at a time: the rows of both ends are gathered for every edge, scored,
/// put through a softmax over the edges of a destination, weighted and summed. Each step is a pass over [slots, ...],
/// and training keeps what its gradients need. Sums over the edges of a source go through the transpose.
class SparseEdgewise {
 public:
  SparseEdgewise(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose);

  void forward(Matrix& output);
  /// Adds to `gradients`.
  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients);

 private:
  void fill_scores();
  void softmax();
  void add_score_gradients(AttentionGradients& gradients);

  const graph::FrozenGraph& mask_;
  const AttentionInputs& inputs_;
  // [slots, heads * width] but for additive scores' queries and keys, [slots, heads].
  Matrix queries_;   ///< Of each slot's destination.
  Matrix keys_;      ///< Of each slot's source.
  Matrix values_;    ///< The same; not made where the value is the key.
  Matrix sums_;      ///< queries_ + keys_, for scores that need it.
  Matrix messages_;  ///< Weighted values; later gradients.
  Matrix weights_;   ///< [slots, heads]; scores at first.
  Matrix weight_gradients_;
  Matrix partials_;  ///< Of the attention vector's gradient, [incoming chunks, heads * width].
};

}  // namespace edgewise::attention::detail
