#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/entry_weights.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The weighted mean over the known entries of the rows `nodes` of exp(x) - t x: the negative log likelihood of the
/// count t under a Poisson distribution with the rate exp(x), without the term log t!, which no rate changes. If counts
/// are divided by a size, so are the rates, and the loss. prediction and targets [N, C]; targets are at least 0, or NaN
/// if unknown. `nodes` must not repeat. Result [1, 1]; 0 without gradient if nothing is known. Targets and spans must
/// outlive the record.
Variable poisson_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                       const EntryWeights& weights = {});

}  // namespace edgewise::autograd
