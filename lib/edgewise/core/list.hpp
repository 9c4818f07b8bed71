#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// The entries of a comma-separated list on a command line. As in CSV, an entry in double quotes, which are doubled
/// inside it, may contain commas: `a,"b, c"` has two entries. An empty text has none. Throws UsageError for a quote
/// that is not closed, or that is followed by anything but a comma.
std::vector<std::string> split_list(std::string_view text);

/// Replaces each entry of `names` that is not `known` by those of `known` that it matches, in their order, as a shell
/// does for files (`*` stands for any characters). An entry that matches nothing stays as it is. Each name is kept
/// once.
std::vector<std::string> expand_patterns(const std::vector<std::string>& names, const std::vector<std::string>& known);

}  // namespace edgewise
