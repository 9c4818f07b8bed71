#pragma once

#include <cstdint>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

/// The most heads a layer may have.
inline constexpr int kMaximalHeads = 512;

/// Dropout on attention weights: element slot * heads + head of the mask that `key` names; kept weights are divided by
/// 1 - probability. The mask is never stored, forward and backward draw it anew.
struct WeightDropout {
  float probability = 0;
  std::uint64_t key = 0;
};

/// How a pass keeps the rows that it reads, mostly at random places: as they are, or rounded to bfloat16, which are half
/// the bytes. Attention then is what it would be of rounded queries, keys, values and output gradients; the scores, the
/// weights and all sums stay float32.
enum class Storage { float32, bfloat16 };

/// Two numbers a destination and head, [destinations, heads] each, kept for the backward pass.
struct RowStatistics {
  float* log_sum_exp;  ///< Of the scores of the row; -infinity where a node has nothing to attend to.
  float* dot;          ///< Output gradient . output; filled by the backward pass.
};

}  // namespace edgewise::attention
