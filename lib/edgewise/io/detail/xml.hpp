#pragma once

#include <string>
#include <string_view>

namespace edgewise::io::detail {

/// Text for XML content or an attribute in double quotes. Control characters, which XML 1.0 cannot hold, become U+FFFD.
std::string xml_escape(std::string_view text);

/// Resolves the five named entities and numbered ones; any other "&..." stays as it is.
std::string xml_unescape(std::string_view text);

}  // namespace edgewise::io::detail
