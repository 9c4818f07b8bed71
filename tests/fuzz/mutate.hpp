#pragma once

#include <vector>

#include "edgewise/core/random.hpp"

namespace edgewise::fuzz {

/// One of `pool`, changed in one to eight places: bits, bytes, ranges that are cut, copied or repeated, pieces of other
/// inputs, and keywords of formats.
std::vector<char> mutate(const std::vector<std::vector<char>>& pool, Random& random);

}  // namespace edgewise::fuzz
