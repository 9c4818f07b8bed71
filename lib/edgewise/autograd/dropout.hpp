#pragma once

#include <cstdint>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Zeroes each element with `probability` in [0, 1) and divides the others by 1 - probability (Srivastava et al.
/// 2014), x [N, C]. Element i is drawn from (key, i) alone, so the mask is not stored but drawn again in the backward
/// pass. Returns x itself when the probability is 0: evaluation passes 0.
Variable dropout(Variable x, float probability, std::uint64_t key);

}  // namespace edgewise::autograd
