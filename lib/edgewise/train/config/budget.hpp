#pragma once

#include <string>

namespace edgewise::train {

/// The seconds in a time such as "90s", "10m" or "2h". Throws UsageError, which starts with `where`, for another text.
double seconds_of_budget(const std::string& where, const std::string& budget);

}  // namespace edgewise::train
