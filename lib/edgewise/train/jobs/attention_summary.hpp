#pragma once

#include <vector>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// How much attention the parts of one graph got, mean over layers and heads.
struct AttentionSummary {
  graph::EdgeIndex first_edge = 0;  ///< The user's edge that `edges[0]` is about.
  /// Of each of the graph's edges, the mean of its directions; empty when no layer attends along edges.
  std::vector<double> edges;
  /// Of each node: its share of the readout's attention; where the readout does not attend, what the nodes of the graph
  /// (itself included) pay to it along edges, over their number. Sums to 1. Empty when nothing attends.
  std::vector<double> nodes;
  bool is_by_readout = false;  ///< What `nodes` is.
};

/// Of the records of a pass over `one`, a union of one graph. Attention over masks other than
/// the edges counts for nodes only. `grid_columns` as in graph::MaskInput.
AttentionSummary summarise_attention(const graph::GraphUnion& one, const std::vector<nn::AttentionRecord>& records,
                                     std::uint32_t grid_columns = 0);

}  // namespace edgewise::train
