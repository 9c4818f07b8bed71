#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

/// Inputs of `attend`; heads are side by side in a row. D: destinations of the mask, S: its sources, H: heads, W:
/// columns per head.
struct AttendInputs {
  const Matrix& query;                       ///< [D, H * W]; GAT: [D, H].
  const Matrix& key;                         ///< [S, H * W]; GAT: [S, H].
  const Matrix& value;                       ///< [S, H * W].
  const Matrix* attention_vector = nullptr;  ///< [1, H * W], for GATv2 and Bahdanau; nullptr: all ones.
};

struct AttendOptions {
  int heads = 1;
  Score score = Score::dot_product;
  Normaliser normaliser = Normaliser::softmax;
  bool scale = true;            ///< Dot product: divide by the square root of W.
  float negative_slope = 0.2F;  ///< Of the LeakyReLU in GAT and GATv2.
};

/// Attention along the edges of `mask`, without gradients, for users who only need the kernel: [D, H * W]; a node with
/// nothing to attend to gets zeros. O(edges * H * W). Throws UsageError, naming both shapes, for a wrong
/// shape, and for a negative slope.
Matrix attend(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options = {});

}  // namespace edgewise::attention
