#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// A note if values to be learnt are bounds, or are marked as such and learnt as if they were exact.
std::vector<std::string> bound_notes(const Dataset& data);

}  // namespace edgewise::train
