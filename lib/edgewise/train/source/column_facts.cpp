#include "edgewise/train/source/column_facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::train {
namespace {

/// Three groups of digits, one of them four long, separated by dashes, points or slashes, optionally followed by a
/// time.
bool is_date(const std::string& text) {
  const std::string day = text.substr(0, text.find_first_of("T "));
  std::vector<std::size_t> groups(1);
  for (const char c : day) {
    if (c >= '0' && c <= '9')
      ++groups.back();
    else if (c == '-' || c == '.' || c == '/')
      groups.push_back(0);
    else
      return false;
  }
  const auto is_short = [](std::size_t digits) { return digits == 1 || digits == 2; };
  return groups.size() == 3 && is_short(groups[1]) &&
         ((groups[0] == 4 && is_short(groups[2])) || (is_short(groups[0]) && groups[2] == 4));
}

/// Finds the first row with a category that is not a number.
void find_first_text(const io::Column& column, std::span<const std::uint64_t> lines, ColumnFacts& facts) {
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.is_missing(row) || io::is_number(column.categories[static_cast<std::size_t>(column.codes[row])]))
      continue;
    facts.first_text = column.text(row);
    facts.first_text_line = row < lines.size() ? lines[row] : 0;
    return;
  }
}

}  // namespace

ColumnFacts column_facts(const io::Column& column, std::span<const std::uint64_t> lines) {
  ColumnFacts facts;
  facts.name = column.name;
  facts.is_numeric = column.is_numeric;
  facts.missing = column.missing;
  facts.is_empty = column.missing == column.size();
  facts.categories = column.categories.size();
  facts.is_constant = column.categories.size() <= 1;
  for (const std::string& category : column.categories) {
    float number = 0;
    if (io::parse_number(category, number) == io::NumberFault::none) ++facts.numeric_categories;
    if (io::has_thousands(category))
      ++facts.thousands;
    else if (io::has_decimal_comma(category))
      ++facts.decimal_commas;
    if (is_date(category)) ++facts.dates;
  }
  facts.number_lists = number_lists(column.categories);
  facts.written = written_numbers(column.categories);
  facts.lists = value_lists(column.categories);
  facts.marked = column.marked;
  facts.marker = column.marker;
  if (!column.is_numeric) {
    if (facts.numeric_categories < facts.categories) find_first_text(column, lines, facts);
    return facts;
  }
  facts.counts_rows = io::counts_rows(column);
  facts.is_unnamed_index = io::is_unnamed_index(column);
  facts.zero_led = column.zero_led;
  facts.rounded = column.rounded;
  double sum = 0;
  std::uint64_t known = 0;
  float smallest = 0, largest = 0;
  for (const float value : column.numbers) {
    if (std::isnan(value)) continue;
    smallest = known == 0 ? value : std::min(smallest, value);
    largest = known == 0 ? value : std::max(largest, value);
    sum += value;
    ++known;
  }
  facts.smallest = json::shortest(smallest);
  facts.largest = json::shortest(largest);
  facts.is_constant = smallest == largest;
  facts.mean = known == 0 ? 0 : json::shortest(static_cast<float>(sum / static_cast<double>(known)));
  return facts;
}

}  // namespace edgewise::train
