#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// What changes in each reaction: its bonds by their elements with their orders before and after, and atoms by their
/// charge, radical electrons and hydrogens, in alphabetical order: "C-Br 1>0; C-F 0>1". One per row, "" for a row that
/// is no reaction or has a problem. Parallel over rows; the result does not depend on the number of threads.
std::vector<std::string> reaction_centres(std::span<const std::string> reactions);

}  // namespace edgewise::data
