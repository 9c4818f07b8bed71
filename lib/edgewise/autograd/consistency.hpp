#pragma once

#include <span>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The most passes that `consistency` takes.
inline constexpr std::size_t kMaxPasses = 8;

/// How far the class probabilities of several passes over the same nodes are from their sharpened mean (Feng et al.
/// 2020, "Graph Random Neural Networks", eq. 5 and 6):
///   p_s = softmax(logits[s]),  target = mean(p)^(1 / temperature), divided by its sum in each row,
///   loss = mean over passes and nodes of |p_s - target|^2
/// logits: at most `kMaxPasses` of [N, C]; result [1, 1], 0 if N is 0. The target is a constant: no gradient passes
/// through it. Throws UsageError for no passes, too many, or a temperature that is not positive.
Variable consistency(std::span<const Variable> logits, float temperature);

}  // namespace edgewise::autograd
