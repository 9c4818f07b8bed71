#pragma once

#include <cstddef>
#include <optional>

namespace edgewise::nn {

/// What a row that a block gives depends on, besides the row at the same place that it gets.
struct BlockTraits {
  /// The maximum number of steps along the edges, where the longest of parallel branches counts; nothing if a row may
  /// depend on all others.
  std::optional<std::size_t> reach = 0;
  bool weighs_by_degree = false;  ///< Weighs an edge by the degree of its source: the edges of one step more.
  bool uses_attention = false;
  bool uses_edge_features = false;  ///< Those of the data, or weights of edges.
  bool has_batch_moments = false;   ///< In training, a row depends on all others.
};

/// Of a block, and of another on its output.
BlockTraits in_sequence(const BlockTraits& first, const BlockTraits& second);

/// The reach of as many steps as `times`.
std::optional<std::size_t> repeated(std::optional<std::size_t> reach, int times);

/// Of two blocks on the same input, whose outputs are combined.
BlockTraits in_parallel(const BlockTraits& first, const BlockTraits& second);

}  // namespace edgewise::nn
