#include "edgewise/io/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

/// `from_chars` does not say whether a number was too large or too small. Independent of the locale.
template <class Real>
NumberFault parse_out_of_range(std::string_view text, Real& value) {
  static const locale_t kPlain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  if (std::abs(::strtod_l(std::string(text).c_str(), nullptr, kPlain)) > 1.0) return NumberFault::too_large;
  value = 0;
  return NumberFault::none;
}

template <class Real>
NumberFault parse(std::string_view text, Real& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  // from_chars would also accept "inf" and "nan".
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  if (first >= text.size() || !((text[first] >= '0' && text[first] <= '9') || text[first] == '.'))
    return NumberFault::not_a_number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return NumberFault::not_a_number;
  if (error == std::errc::result_out_of_range) return parse_out_of_range(text, value);
  return error == std::errc() ? NumberFault::none : NumberFault::not_a_number;
}

}  // namespace

NumberFault parse_number(std::string_view text, float& value) { return parse(text, value); }
NumberFault parse_number(std::string_view text, double& value) { return parse(text, value); }

float require_number(std::string_view text, const TextLocation& where, std::string_view column) {
  float value = 0.0f;
  const NumberFault fault = parse_number(text, value);
  if (fault == NumberFault::none) return value;
  const char* expected = fault == NumberFault::too_large ? "a number below 3.4e38" : "a number";
  const std::string found = text.empty() ? "found nothing" : "got " + quote(text);
  throw DataError(where, fmt::format("column {}: expected {}, {}", quote(column), expected, found));
}

bool is_number(std::string_view text) {
  float value = 0;
  return parse_number(text, value) != NumberFault::not_a_number;
}

float require_number(std::string_view text, const std::string& path, std::uint64_t line, std::string_view column) {
  float value = 0;
  if (parse_number(text, value) == NumberFault::none) return value;
  return require_number(text, {path, line, 0}, column);
}

std::optional<std::uint64_t> parse_index(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool changes_as_float(std::string_view text) {
  const std::optional<std::uint64_t> number = parse_index(text);
  return number && fmt::format("{:.0f}", static_cast<float>(*number)) != text;
}

bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size()) return false;
  text[comma] = '.';
  float number = 0;
  return parse_number(text, number) == NumberFault::none;
}

bool has_thousands(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  text = text.substr(0, text.find('.'));
  const auto are_digits = [](std::string_view group) {
    return std::ranges::all_of(group, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t first = text.find(',');
  if (text.starts_with('0') || first == 0 || first > 3 || !are_digits(text.substr(0, first))) return false;
  for (text.remove_prefix(first); !text.empty(); text.remove_prefix(4))
    if (text.size() < 4 || text.front() != ',' || !are_digits(text.substr(1, 3))) return false;
  return true;
}

}  // namespace edgewise::io
