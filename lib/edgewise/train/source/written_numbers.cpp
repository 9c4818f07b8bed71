#include "edgewise/train/source/written_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::train {
namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// A number with what stands around it.
struct Written {
  std::string sign;        ///< "$", "%", "kg"
  bool has_groups = false;  ///< Of three digits.
  bool has_comma = false;   ///< As the decimal point.
  std::string plain;
};

/// Whether a text before a number is a currency: "Q1" and "A12" are codes.
bool is_currency(std::string_view text) {
  constexpr std::string_view kCodes[] = {"USD", "EUR", "GBP", "CHF", "JPY", "INR", "CNY", "AUD", "CAD", "Rs"};
  return text.find('$') != std::string_view::npos || std::ranges::count(kCodes, text) > 0 ||
         (!text.empty() && static_cast<unsigned char>(text[0]) >= 0x80);
}

/// Whether a text after a number makes it an ordinal or a decade.
bool is_ordinal(std::string_view text, std::string_view number) {
  return text == "st" || text == "nd" || text == "rd" || text == "th" || (text == "s" && number.ends_with('0'));
}

/// The digits with a point at most; the last comma or point is decimal unless three digits follow it and it, or another
/// such sign, is there before. Nothing if the groups are not of three digits.
bool make_plain(std::string_view digits, Written& number) {
  const std::size_t last = digits.find_last_of(".,");
  bool is_decimal = last != std::string_view::npos;
  if (is_decimal) {
    const auto same = std::ranges::count(digits, digits[last]);
    const bool is_group = digits.size() - last == 4 && digits[last] == ',' && last > 0 && digits[0] != '0';
    if (same > 1 || is_group) is_decimal = false;
  }
  const std::string_view whole = is_decimal ? digits.substr(0, last) : digits;
  std::size_t in_group = 0, groups = 0;
  for (const char c : whole) {
    if (is_decimal_digit(c)) {
      number.plain += c;
      ++in_group;
      continue;
    }
    if (in_group == 0 || in_group > 3 || (groups > 0 && in_group != 3)) return false;
    ++groups;
    in_group = 0;
  }
  if (groups > 0 && in_group != 3) return false;
  number.has_groups = groups > 0;
  number.has_comma = is_decimal && digits[last] == ',';
  if (is_decimal) number.plain += fmt::format(".{}", digits.substr(last + 1));
  return io::is_number(number.plain);
}

/// Nothing for a plain number, and for what is none.
std::optional<Written> parse_written(std::string_view text) {
  constexpr std::size_t kLongestSign = 12;
  text = trimmed(text, " ");
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = text.find_last_of("0123456789") + 1;
  Written number;
  std::string before(text.substr(0, begin)), after(text.substr(end));
  const bool is_negative = before.find_first_of("-(") != std::string::npos;
  for (std::string* around : {&before, &after}) {
    std::erase_if(*around, [](char c) { return c == ' ' || c == '-' || c == '+' || c == '(' || c == ')' || c == '.'; });
    const bool is_sign = std::ranges::all_of(*around, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '$' || c == '/' || c == '^' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!is_sign || around->size() > kLongestSign) return std::nullopt;
  }
  if (!before.empty() && (!after.empty() || !is_currency(before))) return std::nullopt;
  number.sign = before + after;
  std::string digits(text.substr(begin, end - begin));
  if (digits.find_first_not_of("0123456789.,' ") != std::string::npos) return std::nullopt;
  if (!make_plain(digits, number) || is_ordinal(after, number.plain)) return std::nullopt;
  if (number.sign.empty() && !number.has_groups && !number.has_comma) return std::nullopt;
  if (is_negative) number.plain.insert(0, "-");
  return number;
}

/// The entries of a list of numbers; 0 if it is none. "1,5" is a number with a comma, "1,234" one with a group.
std::size_t count_numbers(std::string_view text) {
  text = trimmed(text, " ");
  if (text.size() > 2 && (text.front() == '[' || text.front() == '(')) text = text.substr(1, text.size() - 2);
  const std::vector<std::string_view> entries = words_of(text, ", ;\t");
  if (!std::ranges::all_of(entries, io::is_number)) return 0;
  const bool is_one_number = text.find_first_of(" ;.\t") == std::string_view::npos && entries.size() == 2;
  return is_one_number || io::has_thousands(text) ? 0 : entries.size();
}

}  // namespace

std::optional<WrittenNumbers> written_numbers(std::span<const std::string> categories) {
  struct Kind {
    std::size_t count = 0;
    bool has_groups = false, has_comma = false;
    std::string example, plain;
  };
  std::map<std::string, Kind> kinds;
  for (const std::string& category : categories) {
    const std::optional<Written> number = parse_written(category);
    if (!number) continue;
    Kind& kind = kinds[number->sign];
    const bool tells_more = (number->has_groups && !kind.has_groups) || (number->has_comma && !kind.has_comma);
    if (kind.count++ == 0 || tells_more) {
      kind.example = category;
      kind.plain = number->plain;
    }
    kind.has_groups = kind.has_groups || number->has_groups;
    kind.has_comma = kind.has_comma || number->has_comma;
  }
  for (const auto& [sign, kind] : kinds) {
    if (2 * kind.count <= categories.size() || kind.count < 2) continue;
    std::vector<std::string> with;
    if (!sign.empty()) with.push_back(fmt::format("\"{}\"", sign));
    if (kind.has_groups) with.emplace_back("groups of thousands");
    if (kind.has_comma) with.emplace_back("a decimal comma");
    std::string text = with.front();
    for (std::size_t i = 1; i < with.size(); ++i)
      text += fmt::format("{}{}", i + 1 == with.size() ? " and " : ", ", with[i]);
    return WrittenNumbers{text, kind.example, kind.plain};
  }
  return std::nullopt;
}

std::optional<NumberLists> number_lists(std::span<const std::string> categories) {
  std::optional<NumberLists> lists;
  std::size_t count = 0;
  for (const std::string& category : categories) {
    const std::size_t length = count_numbers(category);
    if (length < 2) continue;
    ++count;
    if (!lists) lists = NumberLists{length, category};
  }
  return 2 * count > categories.size() ? lists : std::nullopt;
}

}  // namespace edgewise::train
