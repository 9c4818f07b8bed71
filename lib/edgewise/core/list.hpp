#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// The entries of a list on a command line: separated by commas; an entry in double quotes, doubled inside it, may hold
/// commas, as in CSV: `a,"b, c"` has two. No text gives no entries. Throws UsageError for a quote that is not closed,
/// or that something but a comma follows.
std::vector<std::string> split_list(std::string_view text);

}  // namespace edgewise
