#pragma once

#include <vector>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// The attention received by the parts of one graph, averaged over layers and heads.
struct AttentionSummary {
  graph::EdgeIndex first_edge = 0;  ///< The user's edge of `edges[0]`.
  /// Per edge of the graph, the mean over its directions; empty if no layer attends along edges.
  std::vector<double> edges;
  /// Per node: its share of the readout's attention. If the readout does not use attention: the attention it receives
  /// along edges from the nodes of the graph (itself included), divided by their number. Sums to 1. Empty if nothing
  /// uses attention.
  std::vector<double> nodes;
  bool is_by_readout = false;  ///< Whether `nodes` comes from the readout.
};

/// Summarises the records of a pass over `one`, a union of one graph. Attention over masks other than the edges counts
/// for nodes only. `grid_columns` as in graph::MaskInput.
AttentionSummary summarise_attention(const graph::GraphUnion& one, const std::vector<nn::AttentionRecord>& records,
                                     std::uint32_t grid_columns = 0);

}  // namespace edgewise::train
