#pragma once

#include <cstdint>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/parts.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Attention along the edges, on the tape; see docs/concepts.md for the formulas. `mask` and whatever the pointers
/// point to must live as long as the tape's record.
namespace edgewise::autograd {

using AttentionInputs = attention::Parts<Variable>;

struct AttentionOptions {
  int heads = 1;
  attention::Score score = attention::Score::dot_product;
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  attention::ScoreOptions of_score{};
  float dropout = 0;  ///< On the attention weights.
  std::uint64_t dropout_key = 0;
  Matrix* weights = nullptr;  ///< If set, filled with the weights before dropout, [slots, H].
};

/// [D, H * W]; a node with nothing to attend to gets zeros. Throws UsageError if a shape does not match,
/// for a negative slope, and for an edge weight of GAT.
Variable attend(const graph::FrozenGraph& mask, const AttentionInputs& inputs, const AttentionOptions& options);

/// Weighted sum with fixed weights, one per slot: GCN and mean aggregation. value [sources, M] -> [destinations, M].
/// `start` [destinations, M] is added if it is set.
Variable aggregate(const graph::FrozenGraph& mask, const float* slot_weights, const DenseRows& value,
                   Variable start = {});

}  // namespace edgewise::autograd
