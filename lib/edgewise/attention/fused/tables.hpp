#pragma once

#include <cstddef>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/workspace.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

/// The inputs of attention; heads are side by side in a row. Edge weights and bias are nullptr if not used.
struct Tables {
  int heads = 1;
  int width = 1;                            ///< Columns per head.
  const float* query = nullptr;             ///< [destinations, heads * width]; GAT: [destinations, heads].
  const float* key = nullptr;               ///< [sources, heads * width]; GAT: [sources, heads].
  const float* value = nullptr;             ///< [sources, heads * width]; may be `key`.
  const float* attention_vector = nullptr;  ///< [heads * width], for scores that have one; nullptr: all ones.
  /// Edge terms: features . edge_weight is added to the key (not GAT), features . value_edge_weight to the value, and
  /// features . edge_bias is the bias of the score.
  const float* edge_weight = nullptr;        ///< [edge features, heads * width].
  const float* value_edge_weight = nullptr;  ///< [edge features, heads * width].
  const float* edge_bias = nullptr;          ///< [edge features, heads].
  ScoreOptions score{};
  WeightDropout dropout{};
  /// Limit in bytes on the per-edge numbers that a pass keeps. If they take more, it processes a range of rows at a
  /// time; the results are identical bit for bit, but for gradients of queries with blocks of columns. 0: as many bytes
  /// as the queries, keys, values and output gradients take.
  std::size_t edge_bytes_limit = 0;
  /// The number of blocks of columns (graph/column_blocks.hpp), a power of two; 0: as many as make the tables fit the
  /// cache. Outputs have the same bits with any number, gradients may not.
  std::size_t column_blocks = 0;
};

/// Gradients are added to these tables; nullptr: not wanted. `value` may be `key`.
struct TableGradients {
  float* query = nullptr;
  float* key = nullptr;
  float* value = nullptr;
  float* attention_vector = nullptr;
  float* edge_weight = nullptr;
  float* value_edge_weight = nullptr;
  float* edge_bias = nullptr;
};

/// The driver for one score, normaliser and precision.
struct Kernels {
  /// Fills `output` [destinations, heads * width] and `row_statistics` (see `row_statistics_size`). A destination
  /// without edges gets zeros. O(edges * heads * width).
  void (*forward)(const graph::FrozenGraph& mask, const Tables& tables, float* output, float* row_statistics,
                  Workspace& workspace);
  /// `output` and `row_statistics` are those of the forward pass.
  void (*backward)(const graph::FrozenGraph& mask, const Tables& tables, const float* output,
                   const float* output_gradient, const float* row_statistics, const TableGradients& gradients,
                   Workspace& workspace);
  /// Fills `weights` [slots, heads] with the attention weights before dropout.
  void (*weights)(const graph::FrozenGraph& mask, const Tables& tables, const float* row_statistics, float* weights,
                  Workspace& workspace);
};

}  // namespace edgewise::attention
