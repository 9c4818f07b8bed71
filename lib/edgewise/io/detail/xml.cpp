#include "edgewise/io/detail/xml.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kLongestEntity = 11;  // "&#x10ffff;", with a leading zero
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

/// `entity` is the text between & and ;. Returns false if it is unknown.
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

/// The length of the character at the start of `text` if XML 1.0 cannot represent it, even as an entity; else 0.
std::size_t length_of_unfit(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') return 1;
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf") ? 3 : 0;
}

}  // namespace

bool fits_xml(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (length_of_unfit(text.substr(i)) > 0) return false;
  return true;
}

std::string xml_escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t length = length_of_unfit(text.substr(i)); length > 0) {
      escaped += "\xef\xbf\xbd";
      i += length - 1;
      continue;
    }
    switch (text[i]) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n': escaped += "&#10;"; break;
      case '\t': escaped += "&#9;"; break;
      case '\r': escaped += "&#13;"; break;
      default: escaped += text[i];
    }
  }
  return escaped;
}

std::string ascii_escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::uint32_t code = static_cast<unsigned char>(text[i++]);
    if (code < 0x80) {
      escaped += static_cast<char>(code);
      continue;
    }
    code &= code < 0xe0 ? 0x1f : code < 0xf0 ? 0x0f : 0x07;
    for (; i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; ++i)
      code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3f);
    escaped += fmt::format("&#{};", code);
  }
  return escaped;
}

std::string xml_unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length = text[i] == '&' ? text.substr(i, kLongestEntity).find(';') : std::string_view::npos;
    if (length != std::string_view::npos && append_entity(plain, text.substr(i + 1, length - 1)))
      i += length;
    else
      plain += text[i];
  }
  return plain;
}

}  // namespace edgewise::io::detail
