#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/entry_weights.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The weighted mean, over the known entries of the rows `nodes`, of
///   -(w[c] * t * log(sigmoid(x)) + (1 - t) * log(1 - sigmoid(x))),
/// computed from the logits x without overflow. logits and targets [N, C]; targets are in [0, 1], or NaN if unknown.
/// `nodes` must not repeat. `positive_weights` [C], or empty for ones. Result [1, 1]; 0 without gradient if nothing is
/// known. Targets and spans must outlive the record.
Variable binary_cross_entropy(Variable logits, const Matrix& targets, std::span<const std::uint32_t> nodes,
                              std::span<const float> positive_weights = {}, const EntryWeights& weights = {});

}  // namespace edgewise::autograd
