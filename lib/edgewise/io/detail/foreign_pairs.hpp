#pragma once

#include <string>
#include <string_view>

namespace edgewise::io::detail {

/// Throws DataError, with a command that makes lines of source TAB target, if a file starts as TMX, XLIFF or JSON do.
void refuse_foreign_pairs(const std::string& path, std::string_view start);

}  // namespace edgewise::io::detail
