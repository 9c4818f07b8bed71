#pragma once

#include <vector>

#include "edgewise/attention/fused/tables.hpp"


namespace edgewise::attention::fused {

struct Bfloat16;

/// The drivers for a score and an element type of stored rows (float or Bfloat16), one per normaliser in the order of
/// the enumeration. Defined in driver.hpp. Each instance of the library has its own source, made from instance.cpp.in.
template <class Score, class Element>
std::vector<Kernels> drivers();

}  // namespace edgewise::attention::fused
