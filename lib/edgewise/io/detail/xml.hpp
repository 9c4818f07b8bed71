#pragma once

#include <string>
#include <string_view>

namespace edgewise::io::detail {

/// Whether XML 1.0 can represent the text: not with control characters other than tabs and line ends, U+FFFE or U+FFFF.
bool fits_xml(std::string_view text);

/// Escapes text for XML content or a double-quoted attribute. Characters that do not fit become U+FFFD.
std::string xml_escape(std::string_view text);

/// Replaces what is not ASCII by numeric entities; the text is UTF-8.
std::string ascii_escape(std::string_view text);

/// Resolves the five named entities and numeric ones; any other "&..." is kept.
std::string xml_unescape(std::string_view text);

}  // namespace edgewise::io::detail
