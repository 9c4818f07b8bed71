#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise::io::detail {

/// Text for XML content or an attribute in double quotes. Control characters, which XML 1.0 cannot hold, become U+FFFD.
std::string xml_escape(std::string_view text);

/// Resolves the five named entities and numbered ones; any other "&..." stays as it is.
std::string xml_unescape(std::string_view text);

struct XmlElement {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;
  std::uint64_t line = 0;

  /// The attribute's value, or nullptr.
  const std::string* find(std::string_view attribute) const;
};

/// Calls `visit` for the start of every element, in the order of the text. No check that the XML is well formed, except
/// that it is nested at most 64 deep and that no tag is cut off (DataError): this runs in front of a real parser.
void scan_xml(std::string_view text, const std::string& file, const std::function<void(const XmlElement&)>& visit);

}  // namespace edgewise::io::detail
