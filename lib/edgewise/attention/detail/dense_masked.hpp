#pragma once

#include <vector>

#include "edgewise/attention/detail/pair_mask.hpp"
#include "edgewise/attention/variants.hpp"

namespace edgewise::attention::detail {

/// All pairs, a head at a time: a score matrix [destinations, sources], -infinity where the mask (a bit a pair) has no
/// pair, its softmax over rows, times the values; products on Eigen. Training keeps the weights of all heads.
class DenseMasked {
 public:
  DenseMasked(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose);

  void forward(Matrix& output);
  /// Adds to `gradients`.
  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients);

 private:
  /// Weights and their gradients have columns up to a whole vector; those behind the last source are 0.
  MatrixRef sources_of(Matrix& pairs) const { return pairs.leftCols(inputs_.key.rows()); }
  void pack_keys(int head);
  void fill_scores(int head, Matrix& scores);
  void softmax(Matrix& scores);
  void fill_score_gradients(const Matrix& output, const Matrix& output_gradient, int head, const Matrix& weights);
  void add_score_gradients(int head, AttentionGradients& gradients);
  void add_additive_gradients(int head, AttentionGradients& gradients);
  void add_gatv2_gradients(int head, AttentionGradients& gradients);

  const AttentionInputs& inputs_;
  PairMask pairs_;               ///< A row a destination, a column a source.
  std::vector<Matrix> weights_;  ///< One a head when training, else one.
  Matrix weight_gradients_;      ///< Of one head; later those of the scores.
  Matrix keys_;                  ///< Of one head, transposed: [columns, sources]; for scores that are no products.
  Matrix key_gradients_;         ///< The same.
  Matrix partials_;              ///< Of the attention vector's gradient, [row blocks, width].
};

}  // namespace edgewise::attention::detail
