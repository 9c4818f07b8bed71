#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/entry_weights.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The weighted mean of (x - t)^2, or of another penalty on x - t, over the known entries of the rows `nodes`.
/// prediction and targets [N, C]; targets are NaN if unknown. `nodes` must not repeat. Result [1, 1]; 0 without
/// gradient if nothing is known. Targets and spans must outlive the record.
Variable squared_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                       const EntryWeights& weights = {}, Penalty penalty = Penalty::square);

}  // namespace edgewise::autograd
