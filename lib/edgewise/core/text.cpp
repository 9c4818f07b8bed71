#include "edgewise/core/text.hpp"

#include <fmt/format.h>


namespace edgewise {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// `text` must start with a sequence of this length.
bool is_control(std::string_view text, std::size_t length) {
  if (length == 1) return byte_at(text, 0) < 0x20 || byte_at(text, 0) == 0x7f;
  return length == 2 && byte_at(text, 0) == 0xc2 && byte_at(text, 1) < 0xa0;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte_at(text, 1);
  if (lead == 0xe0 && second < 0xa0) return 0;   // overlong
  if (lead == 0xed && second >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && second < 0x90) return 0;   // overlong
  if (lead == 0xf4 && second >= 0x90) return 0;  // beyond U+10FFFF
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text, std::size_t most, std::string_view kept) {
  std::string shown;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == most) return shown + "...";
    const std::size_t length = utf8_length(text);
    const std::size_t taken = length == 0 ? 1 : length;
    const bool is_shown = length > 0 && (!is_control(text, length) || kept.find(text[0]) != std::string_view::npos);
    if (is_shown)
      shown += text.substr(0, taken);
    else
      for (std::size_t i = 0; i < taken; ++i) shown += fmt::format("\\x{:02x}", byte_at(text, i));
    text.remove_prefix(taken);
  }
  return shown;
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace edgewise
