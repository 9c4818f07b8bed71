#pragma once

#include <cstdint>

#include "edgewise/attention/options.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Attention along the edges on the tape; see attention/{additive,gatv2,dot_product,aggregate}.hpp for the formulas.
/// `mask` and what the pointers point at must live as long as the tape's record. An unset Variable for what is
/// multiplied with the edge features leaves them out there. A node with nothing to attend to gets zeros.
namespace edgewise::autograd {

struct AttentionOptions {
  int heads = 1;
  float negative_slope = 0.2F;  ///< Of LeakyReLU; additive and GATv2 scores.
  float dropout = 0;            ///< On the attention weights.
  std::uint64_t dropout_key = 0;
  attention::Storage storage = attention::Storage::float32;
  Matrix* weights = nullptr;  ///< Filled with the weights before dropout, [slots, heads], when set.
};

/// GAT. source_score [sources, H], destination_score [destinations, H], value [sources, H * D],
/// edge_weight [edge features, H] -> [destinations, H * D].
Variable attend_additive(const graph::FrozenGraph& mask, Variable source_score, Variable destination_score,
                         Variable value, Variable edge_weight, const AttentionOptions& options);

/// GATv2. key and value [sources, H * D] (may be the same Variable), query [destinations, H * D],
/// attention_vector [1, H * D], edge_weight (in the score) and value_edge_weight [edge features, H * D]
/// -> [destinations, H * D].
Variable attend_gatv2(const graph::FrozenGraph& mask, Variable key, Variable query, Variable value,
                      Variable attention_vector, Variable edge_weight, Variable value_edge_weight,
                      const AttentionOptions& options);

/// Scaled dot product. query [destinations, H * D], key and value [sources, H * D],
/// edge_weight (in score and value) [edge features, H * D], edge_bias (added to the score) [edge features, H]
/// -> [destinations, H * D].
Variable attend_dot_product(const graph::FrozenGraph& mask, Variable query, Variable key, Variable value,
                            Variable edge_weight, Variable edge_bias, const AttentionOptions& options);

/// Weighted sum with fixed weights, one a slot: GCN and mean aggregation. value [sources, M] -> [destinations, M].
Variable aggregate(const graph::FrozenGraph& mask, const float* slot_weights, Variable value);

}  // namespace edgewise::autograd
