#pragma once

#include <cstddef>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/parts.hpp"
#include "edgewise/core/workspace.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

/// A call of attention.
struct Tables {
  int heads = 1;
  int width = 1;                ///< Columns per head.
  Parts<const float*> parts{};  ///< nullptr: unset.
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
using TableGradients = Parts<float*>;

/// The driver for one score and normaliser.
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
