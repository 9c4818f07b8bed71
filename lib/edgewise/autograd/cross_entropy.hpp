#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The mean over `nodes` of -log softmax(logits)[class], each weighted by the weight of its class:
///   sum of w[c_n] * l_n / sum of w[c_n].
/// logits [N, C]; `classes` [N], -1 where unknown (left out); `nodes` each at most once; `class_weights` [C], or empty
/// for ones. Result [1, 1]. Nothing known, or no weight: 0, and no gradient. The spans must outlive the record.
Variable cross_entropy(Variable logits, std::span<const std::int32_t> classes, std::span<const std::uint32_t> nodes,
                       std::span<const float> class_weights = {});

}  // namespace edgewise::autograd
