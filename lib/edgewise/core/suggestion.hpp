#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// How many letters must be changed, put in, taken out or swapped with the next to make `b` of `a`, none twice (Damerau
/// 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// ` (did you mean "gat"?)` when one of the known words is at most two changed, missing, added or swapped letters away,
/// else nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace edgewise
