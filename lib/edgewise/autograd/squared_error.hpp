#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The mean of (x - t)^2 over the known entries of the rows `nodes`. prediction and targets [N, C], NaN where
/// unknown; `nodes` each at most once. Result [1, 1]. Nothing known: 0, and no gradient. Targets and span must outlive
/// the record.
Variable squared_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes);

}  // namespace edgewise::autograd
