#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/entry_weights.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The weighted mean of the squared distance (or of another penalty on the distance) of predictions to intervals, over
/// the known entries of the rows `nodes`: (lower - x)^2 below the interval, (x - upper)^2 above it, 0 within.
/// prediction, lower and upper [N, C]; both ends are NaN if nothing is known, equal if the value is known, and one is
/// infinite if only the other bounds the value: a regression on censored measurements, as that of Tobin (Econometrica
/// 1958) but with squared errors. `nodes` must not repeat. Result [1, 1]; 0 without gradient if nothing is known.
/// Intervals and spans must outlive the record. Throws UsageError for an interval with one end that is NaN, or that
/// ends below its lower end.
Variable interval_error(Variable prediction, const Matrix& lower, const Matrix& upper,
                        std::span<const std::uint32_t> nodes, const EntryWeights& weights = {},
                        Penalty penalty = Penalty::square);

}  // namespace edgewise::autograd
