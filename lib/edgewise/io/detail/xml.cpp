#include "edgewise/io/detail/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "edgewise/core/error.hpp"

namespace edgewise::io::detail {
namespace {

constexpr int kDeepestElement = 64;
constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

/// `entity` is what stands between & and ;. False when it is none we know.
bool append_entity(std::string& text, std::string_view entity) {
  for (const auto& [name, character] : kEntities) {
    if (entity != name) continue;
    text += character;
    return true;
  }
  if (entity.size() < 2 || entity[0] != '#') return false;
  const bool is_hexadecimal = entity[1] == 'x' || entity[1] == 'X';
  const std::string_view digits = entity.substr(is_hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hexadecimal ? 16 : 10);
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (error != std::errc() || end != digits.data() + digits.size() || code == 0 || code > 0x10ffff || is_surrogate)
    return false;
  append_utf8(text, code);
  return true;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Offset behind the tag that starts at `begin`; quotes may hold '>'.
std::size_t tag_end(std::string_view text, std::size_t begin) {
  char quote = '\0';
  int brackets = 0;  // of a document type's own declarations
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++brackets;
    } else if (c == ']') {
      --brackets;
    } else if (c == '>' && brackets <= 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// `tag` is what stands between < and >.
XmlElement parse_tag(std::string_view tag) {
  XmlElement element;
  std::size_t i = 0;
  while (i < tag.size() && !is_space(tag[i]) && tag[i] != '/') ++i;
  element.name = tag.substr(0, i);
  while (i < tag.size()) {
    const std::size_t equals = tag.find('=', i);
    if (equals == std::string_view::npos) break;
    std::string_view name = tag.substr(i, equals - i);
    while (!name.empty() && is_space(name.front())) name.remove_prefix(1);
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    const std::size_t open = tag.find_first_of("\"'", equals);
    if (open == std::string_view::npos) break;
    const std::size_t close = tag.find(tag[open], open + 1);
    if (close == std::string_view::npos) break;
    element.attributes.emplace_back(name, xml_unescape(tag.substr(open + 1, close - open - 1)));
    i = close + 1;
  }
  return element;
}

/// Offset behind a comment, a CDATA section or an instruction at `at`; `at` itself when none stands there.
std::size_t skip_special(std::string_view text, std::size_t at) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSpecial = {
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
  for (const auto& [open, close] : kSpecial) {
    if (!text.substr(at).starts_with(open)) continue;
    const std::size_t end = text.find(close, at + open.size());
    return end == std::string_view::npos ? end : end + close.size();
  }
  return at;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n': escaped += "&#10;"; break;
      case '\t': escaped += "&#9;"; break;
      case '\r': escaped += "&#13;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          escaped += "\xef\xbf\xbd";
        else
          escaped += c;
    }
  }
  return escaped;
}

std::string xml_unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end != std::string_view::npos && end - i <= 10 && append_entity(plain, text.substr(i + 1, end - i - 1)))
      i = end;
    else
      plain += text[i];
  }
  return plain;
}

const std::string* XmlElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

void scan_xml(std::string_view text, const std::string& file, const std::function<void(const XmlElement&)>& visit) {
  std::uint64_t line = 1;
  std::size_t counted = 0;  // line ends in front of here are in `line`
  int depth = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    line += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    const std::size_t special = skip_special(text, at);
    const std::size_t end = special == at ? tag_end(text, at) : special;
    if (end == std::string_view::npos) throw DataError({file, line, 0}, "not valid XML: this is never closed");
    const std::string_view tag = text.substr(at + 1, end - at - 2);
    at = end;
    if (special == end || tag.starts_with('!')) continue;
    if (tag.starts_with('/')) {
      --depth;
      continue;
    }
    XmlElement element = parse_tag(tag);
    element.line = line;
    visit(element);
    if (!tag.ends_with('/') && ++depth > kDeepestElement)
      throw DataError({file, line, 0}, fmt::format("elements are nested deeper than {} levels", kDeepestElement));
  }
}

}  // namespace edgewise::io::detail
