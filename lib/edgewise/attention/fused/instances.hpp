#pragma once

#include <vector>

#include "edgewise/attention/fused/tables.hpp"

namespace edgewise::attention::fused {

/// The kernels of a score, one per normaliser in the order of the enumeration. Defined in instantiate.hpp. Each score
/// of the library has its own source, made from instance.cpp.in.
template <class Score>
std::vector<Kernels> drivers();

}  // namespace edgewise::attention::fused
