#include "edgewise/data/odd_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/bounds.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::data {
namespace {

bool is_amount(std::string_view text) {
  return io::is_number(text) || io::has_decimal_comma(std::string(text)) || io::has_thousands(text);
}

bool is_bound(std::string_view text) {
  const std::optional<Related> related = parse_related(text);
  return related && is_amount(related->rest);
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "inf" || lower == "infinity" || text == "∞";
}

/// Whether amounts stand on both sides of one of these signs.
bool is_pair(std::string_view text, std::initializer_list<std::string_view> signs) {
  for (const std::string_view sign : signs) {
    const std::size_t place = text.find(sign, 1);
    if (place != text.npos && is_amount(trimmed(text.substr(0, place))) &&
        is_amount(trimmed(text.substr(place + sign.size()))))
      return true;
  }
  return false;
}

/// A number with letters right behind it: a usual unit, or any behind a fraction.
bool has_unit_behind(std::string_view text) {
  constexpr std::string_view kUnits[] = {"pM", "nM", "uM", "µM", "μM", "mM", "ng", "ug", "µg", "μg", "mg", "kg", "ml",
                                         "mL", "nm", "mm", "cm", "km", "ms", "kJ", "eV", "Hz", "kHz", "MHz", "GHz"};
  constexpr std::size_t kLongestUnit = 8;
  const std::size_t end = text.find_last_of("0123456789");
  if (end == text.npos || end + 1 == text.size() || text.size() - end > kLongestUnit) return false;
  const std::string_view number = text.substr(0, end + 1);
  if (!is_amount(number)) return false;
  return std::ranges::count(kUnits, text.substr(end + 1)) > 0 || number.find_first_of(".,") != number.npos;
}

/// A number, a blank and words, or a number and a unit.
bool has_unit(std::string_view text) {
  for (const std::string_view sign : {"%", "°C", "°"})
    if (text.ends_with(sign)) return is_amount(trimmed(text.substr(0, text.size() - sign.size())));
  const std::size_t blank = text.find_first_of(" \t");
  if (blank == text.npos) return has_unit_behind(text);
  if (!is_amount(text.substr(0, blank))) return false;
  return !is_amount(text.substr(text.find_last_of(" \t") + 1));
}

/// "007" is a code rather than an amount.
bool is_code(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool has_no_fraction(std::string_view text) { return text.find_first_of(".,eE") == text.npos; }

}  // namespace

CellKind kind_of_cell(std::string_view text) {
  const std::string_view cell = trimmed(text);
  if (io::is_number(cell)) return is_code(cell) ? CellKind::other : CellKind::number;
  if (io::has_thousands(cell)) return CellKind::thousands;
  if (io::has_decimal_comma(std::string(cell))) return CellKind::decimal_comma;
  if (is_bound(cell)) return CellKind::bound;
  if (is_infinite(cell)) return CellKind::infinite;
  if (is_pair(cell, {"±", "+/-", "+-"})) return CellKind::deviation;
  if (!has_no_fraction(cell) && is_pair(cell, {"-", "–", " to ", ".."})) return CellKind::range;
  return has_unit(cell) ? CellKind::unit : CellKind::other;
}

std::string advice_on_cell(std::string_view text) {
  switch (kind_of_cell(text)) {
    case CellKind::bound: return "which is a bound rather than a value: empty the cell to leave the row out";
    case CellKind::infinite: return "which cannot be learnt: empty the cell to leave the row out";
    case CellKind::decimal_comma: return "which has a decimal comma: use a decimal point";
    case CellKind::thousands: return "which has commas between thousands: leave them out";
    case CellKind::unit: return "which has a unit: leave it out, and convert values in other units";
    case CellKind::deviation: return "which has a deviation: leave it out, or make a column of it";
    case CellKind::range: return "which is a range: use a number, such as its middle";
    case CellKind::number: return "which has blanks around it: leave them out";
    case CellKind::other: break;
  }
  return fmt::format("and if that means that the value is not known, name it in {}", setting("data.missing_labels"));
}

std::size_t first_odd_cell(const io::Column& column) {
  std::size_t first_bound = column.size();
  for (std::size_t row = 0; row < column.size(); ++row) {
    const std::string text = column.text(row);
    if (column.is_missing(row) || io::is_number(text)) continue;
    if (kind_of_cell(text) != CellKind::bound) return row;
    first_bound = std::min(first_bound, row);
  }
  return first_bound;
}

std::optional<OddCells> find_odd_cells(const io::Column& column) {
  constexpr std::size_t kFewClasses = 20, kFewValues = 5;
  if (column.is_numeric) return std::nullopt;
  std::vector<CellKind> kinds;
  for (const std::string& category : column.categories) kinds.push_back(kind_of_cell(category));
  OddCells odd{.row = first_odd_cell(column)};
  std::size_t amounts = 0;
  std::vector<bool> occurs(kinds.size());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.is_missing(row)) continue;
    const auto code = static_cast<std::size_t>(column.codes[row]);
    ++odd.known;
    amounts += kinds[code] != CellKind::other ? 1 : 0;
    odd.numbers += io::is_number(column.categories[code]) ? 1 : 0;
    occurs[code] = true;
  }
  std::size_t values = 0;
  bool are_whole = true;
  for (std::size_t code = 0; code < kinds.size(); ++code) {
    if (!occurs[code] || kinds[code] == CellKind::other) continue;
    ++values;
    are_whole = are_whole && has_no_fraction(column.categories[code]);
  }
  const bool are_many = values > kFewClasses || (!are_whole && values >= kFewValues && 2 * values > amounts);
  if (odd.row == column.size() || 2 * amounts <= odd.known || !are_many) return std::nullopt;
  return odd;
}

void refuse_odd_cells(const io::NodeTable& table, const io::Column& column, std::string_view otherwise) {
  const std::optional<OddCells> odd = find_odd_cells(column);
  if (!odd) return;
  const std::string text = column.text(odd->row);
  const std::string others = odd->numbers > 0 ? fmt::format(" as in {} of {} cells", odd->numbers, odd->known) : "";
  throw DataError(table.where(odd->row), fmt::format("column \"{}\": expected a number{}, got {}, {} ({})", column.name,
                                                     others, io::quote(text), advice_on_cell(text), otherwise));
}

}  // namespace edgewise::data
