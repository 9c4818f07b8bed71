#pragma once

#include <cstdint>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Zeroes each element with `probability` in [0, 1) and divides the others by 1 - probability (Srivastava et al. 2014);
/// x [N, C]. Element i depends on (key, i) alone, so the mask is not stored but generated again in the backward pass.
/// Returns x itself if the probability is 0, as in evaluation.
Variable dropout(Variable x, float probability, std::uint64_t key);

/// The same for whole rows (DropNode, Feng et al. 2020, "Graph Random Neural Networks", section 3.1): row i depends on
/// (key, i) alone.
Variable drop_rows(Variable x, float probability, std::uint64_t key);

}  // namespace edgewise::autograd
