#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The mean over `nodes` of -log softmax(logits)[class], weighted by class and row:
///   sum of w[c_n] * v[n] * l_n / sum of w[c_n] * v[n].
/// With `smoothing` = e, l_n = -(1 - e) log p[class] - e * the mean over all classes of log p (Szegedy et al. 2016).
/// logits [N, C]; `classes` [N], -1 if unknown (ignored). `nodes` must not repeat. `class_weights` [C] and
/// `row_weights` [N], or empty for ones. Result [1, 1]; 0 without gradient if nothing is known or has weight. The spans
/// must outlive the record.
Variable cross_entropy(Variable logits, std::span<const std::int32_t> classes, std::span<const std::uint32_t> nodes,
                       std::span<const float> class_weights = {}, std::span<const float> row_weights = {},
                       float smoothing = 0);

}  // namespace edgewise::autograd
