#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// ` (did you mean "gat"?)` when one of the known words is at most two changed, missing, added or swapped letters away,
/// else nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace edgewise
