#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace edgewise::report {

/// Text for HTML and SVG, also within quotes. Invisible characters, such as marks of direction, are spelt out (line
/// ends are kept), and what comes after `most` characters becomes "...".
std::string escape(std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace edgewise::report
