#include "edgewise/io/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "edgewise/core/error.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {

const std::vector<std::string>& default_missing_texts() {
  static const std::vector<std::string> texts = {"",    "?",    "NA",   "N/A",  "n/a",  "#N/A", "#NA",  "<NA>",
                                                 "NaN", "nan",  "-NaN", "-nan", "NULL", "null", "None", "\\N"};
  return texts;
}

std::vector<std::string> missing_texts(const std::vector<std::string>& given) {
  constexpr std::string_view kOnlyEmpty = "empty";
  std::vector<std::string> texts = default_missing_texts();
  if (std::ranges::count(given, kOnlyEmpty) > 0) texts = {""};
  std::ranges::copy_if(given, std::back_inserter(texts), [&](const std::string& text) { return text != kOnlyEmpty; });
  return texts;
}

bool Column::is_missing(std::size_t row) const { return is_numeric ? std::isnan(numbers[row]) : codes[row] < 0; }

std::string Column::text(std::size_t row) const {
  if (is_missing(row)) return "";
  return is_numeric ? fmt::format("{}", numbers[row]) : categories[static_cast<std::size_t>(codes[row])];
}

bool ReadAsText::contains(std::string_view column) const { return is_all || std::ranges::count(names, column) > 0; }

bool counts_rows(const Column& column) {
  constexpr std::size_t kMinRows = 10;
  const std::vector<float>& numbers = column.numbers;
  if (numbers.size() < kMinRows || (numbers[0] != 0 && numbers[0] != 1)) return false;
  std::size_t begins = 1;
  for (std::size_t row = 1; row < numbers.size(); ++row) {
    if (numbers[row] == numbers[row - 1] + 1) continue;
    if (numbers[row] != numbers[0]) return false;
    ++begins;
  }
  return begins * kMinRows <= numbers.size();
}

bool is_unnamed_index(const Column& column) {
  const bool is_unnamed = column.name.starts_with(kUnnamedColumn) &&
                          parse_index(column.name.substr(kUnnamedColumn.size())).has_value();
  if (!is_unnamed || !column.is_numeric || column.missing == column.size()) return false;
  if (counts_rows(column)) return true;
  std::unordered_set<float> seen;
  for (const float number : column.numbers)
    if (!std::isnan(number) && (number < 0 || number != std::floor(number) || !seen.insert(number).second))
      return false;
  return seen.size() > 1;
}

const Column* find_column(std::span<const Column> columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

ColumnIndex::ColumnIndex(std::span<const Column> columns) {
  places_.reserve(columns.size());
  for (const Column& column : columns) places_.emplace(column.name, &column);
}

const Column* ColumnIndex::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : found->second;
}

std::vector<std::string> names_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

void refuse_column(const std::vector<std::string>& known, std::string_view name, const std::string& file) {
  for (const std::string& of : known)
    if (of.starts_with(fmt::format("{},", name)))
      throw DataError(fmt::format("{}: no column {}; a name with a comma goes in double quotes: '\"{}\"'", file,
                                  quote(name), of));
  throw DataError(fmt::format("{}: no column {}; {}", file, quote(name),
                              known.empty() ? "there are no further columns"
                                            : "the columns are " + list_of_columns(known)));
}

const Column& column_at(std::span<const Column> columns, std::string_view name, const std::string& file) {
  if (const Column* column = find_column(columns, name)) return *column;
  refuse_column(names_of(columns), name, file);
}

}  // namespace edgewise::io
