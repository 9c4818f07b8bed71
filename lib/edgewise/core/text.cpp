#include "edgewise/core/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace edgewise {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// The code point of the valid sequence of this length that `text` starts with.
char32_t code_point(std::string_view text, std::size_t length) {
  constexpr unsigned kBitsOfLead[] = {0x7f, 0x1f, 0x0f, 0x07};
  char32_t code = byte_at(text, 0) & kBitsOfLead[length - 1];
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_at(text, i) & 0x3fU);
  return code;
}

struct Range {
  char32_t first;
  char32_t last;
};

/// Ascending: controls, breaks of lines and paragraphs, and what Unicode calls default ignorable, which includes the
/// marks of direction, joiners and variation selectors.
constexpr Range kInvisible[] = {
    {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},       {0x61c, 0x61c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},     {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},     {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

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

std::optional<char32_t> invisible_start(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return std::nullopt;
  const char32_t code = code_point(text, length);
  const auto* const after = std::ranges::upper_bound(kInvisible, code, {}, &Range::first);
  if (after == std::begin(kInvisible) || code > std::prev(after)->last) return std::nullopt;
  return code;
}

std::string printable(std::string_view text, std::size_t most, std::string_view kept) {
  std::string shown;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == most) return shown + "...";
    const std::size_t length = utf8_length(text);
    const std::size_t taken = length == 0 ? 1 : length;
    const bool is_shown = length > 0 && (!invisible_start(text) || kept.find(text[0]) != std::string_view::npos);
    if (is_shown)
      shown += text.substr(0, taken);
    else
      for (std::size_t i = 0; i < taken; ++i) shown += fmt::format("\\x{:02x}", byte_at(text, i));
    text.remove_prefix(taken);
  }
  return shown;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::vector<std::string_view> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(separators); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

std::string core_of_name(std::string_view name) {
  std::string core;
  for (const char c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) core += c;
    if (c >= 'A' && c <= 'Z') core += static_cast<char>(c - 'A' + 'a');
  }
  return core;
}

std::string_view without_gz(std::string_view name) {
  return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

std::string first_of(std::span<const std::string> names, std::size_t most) {
  const auto shown = names.first(std::min(most, names.size()));
  const std::string more = shown.size() < names.size() ? fmt::format(" and {} more", names.size() - shown.size()) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace edgewise
