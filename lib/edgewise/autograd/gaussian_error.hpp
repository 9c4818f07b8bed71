#pragma once

#include <cstdint>
#include <span>

#include "edgewise/autograd/entry_weights.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// The weighted mean of v^b (e^2 / v + log v) / 2 over the known entries of the rows `nodes`, with the error e = x - t:
/// the left half of `prediction` [N, 2 C] are the values x, the right half the logarithms of their variances v
/// (Nix and Weigend, "Estimating the Mean and Variance of the Target Probability Distribution", 1994). The factor v^b,
/// b = 1/2, is a constant for the gradient; without it, values that are hard to predict are hardly learnt (Seitzer et
/// al., "On the Pitfalls of Heteroscedastic Uncertainty Estimation with Probabilistic Neural Networks", ICLR 2022,
/// equation 5). Logarithms beyond ±12 count as ±12. Targets [N, C] are NaN if unknown. `nodes` must not repeat. Result
/// [1, 1]; 0 without gradient if nothing is known. Targets and spans must outlive the record.
Variable gaussian_error(Variable prediction, const Matrix& targets, std::span<const std::uint32_t> nodes,
                        const EntryWeights& weights = {});

}  // namespace edgewise::autograd
