#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise::io::detail {

/// The start tag of an element; valid during the call.
struct XmlElement {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::uint64_t line = 0;

  /// The attribute's value, or nullptr.
  const std::string_view* find(std::string_view attribute) const;
};

/// Callbacks for the parts of a document, in document order. May throw.
struct XmlHandler {
  std::function<void(const XmlElement&)> start;
  std::function<void(std::string_view name)> end;
  std::function<void(std::string_view text)> text;    ///< May arrive in pieces.
  std::function<void(std::uint64_t bytes)> progress;  ///< Bytes of the text, before they are parsed.
};

/// Reads a file, plain or gzip, holding no more than one tag at a time. Uses Expat; the text must be UTF-8, whatever
/// its declaration says. Throws DataError with the line for malformed XML, for a document that declares or needs
/// entities, for elements nested deeper than 64 and for tags longer than `Limits::line_bytes`.
void read_xml(const std::string& path, const XmlHandler& handler);

}  // namespace edgewise::io::detail
