#pragma once

#include <vector>

#include "edgewise/attention/fused/kernels.hpp"

namespace edgewise::attention::fused {

struct Bfloat16;

/// The driver for a score and how rows are stored (float or Bfloat16), with each normaliser in the order of the
/// enumeration. Defined in driver.hpp; those of the library are instantiated in a source each, from instance.cpp.in.
template <class Score, class Element>
std::vector<Kernels> drivers();

}  // namespace edgewise::attention::fused
