#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// The entries of a comma-separated list on a command line. As in CSV, an entry in double quotes, which are doubled
/// inside it, may contain commas: `a,"b, c"` has two entries. An empty text has none. Throws UsageError for a quote
/// that is not closed, or that is followed by anything but a comma.
std::vector<std::string> split_list(std::string_view text);

}  // namespace edgewise
