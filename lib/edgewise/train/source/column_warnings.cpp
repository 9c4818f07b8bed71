#include "edgewise/train/source/column_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::train {
namespace {

const char* things_of(const ColumnFacts& column) { return column.is_of_edges ? "edges" : "nodes"; }

/// Continues "leave it out".
std::string how_to_leave_out(const ColumnFacts& column) {
  return column.is_of_edges ? fmt::format(" of {}", setting("data.edge_features"))
                            : fmt::format(" with {} ", setting("data.ignore")) + as_argument(column.name);
}

/// Whether the numbers lie so close together that rounding them to floats matters.
bool loses_digits(const ColumnFacts& column) {
  constexpr double kMinSteps = 1000;  // between floats, from the smallest to the largest
  const double size = std::max(std::abs(column.smallest), std::abs(column.largest));
  return !column.rounded.empty() &&
         column.largest - column.smallest < kMinSteps * size * std::numeric_limits<float>::epsilon();
}

/// What speaks against taking a column as categories; "" if nothing does.
std::string why_categories(const ColumnFacts& column) {
  if (column.number_lists)
    return fmt::format("its cells are lists of {} numbers, such as {}; make a column of each number",
                       column.number_lists->length, io::quote(column.number_lists->example));
  if (2 * (column.decimal_commas + column.thousands) > column.categories)
    return fmt::format("its values look like numbers with {}",
                       column.decimal_commas > 0 ? "a decimal comma; use a decimal point"
                                                 : "commas between thousands; leave the commas out");
  if (column.written)
    return fmt::format("its values look like numbers with {}, such as {}; write plain numbers, as {}",
                       column.written->with, io::quote(column.written->example), column.written->plain);
  if (2 * column.dates > column.categories)
    return fmt::format("its values look like dates; convert them to numbers (a year, days since){}",
                       column.is_label ? "" : " or leave the column out" + how_to_leave_out(column));
  if (!column.first_text.empty() && 2 * column.numeric_categories > column.categories)
    return fmt::format("{} of its {} different values are numbers, but {} is not{}", column.numeric_categories,
                       column.categories, io::quote(column.first_text),
                       column.first_text_line > 0 ? fmt::format(" (line {})", column.first_text_line) : "");
  if (column.lists)
    return fmt::format(
        "its values look like lists, such as \"{}\", and each different list is {} of its own; {}",
        column.lists->example, column.is_label ? "a class" : "a category",
        column.is_label
            ? fmt::format("{} multilabel {} '{}' makes a label of each entry ({})", setting("data.task"),
                          setting("data.separator"), column.lists->separator, first_of(column.lists->entries))
            : fmt::format("make a column of 0 and 1 for each entry ({})", first_of(column.lists->entries)));
  return "";
}

}  // namespace

std::string as_argument(const std::string& name) {
  return name.find_first_of(" ;&|()<>*?$'") == std::string::npos ? name : fmt::format("\"{}\"", name);
}

std::string column_type_warning(const ColumnFacts& column, std::uint64_t rows) {
  if (const std::string why = why_categories(column); !why.empty())
    return fmt::format("column \"{}\" is taken as categories: {}", column.name, why);
  if (!column.numbered_by.empty())
    return fmt::format(
        "the names of nodes are the row numbers in the column \"{}\", but \"{}\" holds all names in use, too, in other "
        "rows: {} says which column names the nodes",
        column.numbered_by, column.name, setting("data.id"));
  if (!column.zero_led.empty())
    return fmt::format(
        "column \"{}\" is taken as numbers, without leading zeros as in {}: for codes, use "
        "{} {}",
        column.name, column.zero_led, setting("data.categorical"), as_argument(column.name));
  if (loses_digits(column))
    return fmt::format(
        "column \"{}\": its numbers, such as {}, differ in digits beyond the seven that are kept: "
        "subtract what they have in common, or, if they are codes, use {} {}",
        column.name, column.rounded, setting("data.categorical"), as_argument(column.name));
  if (!column.is_numeric && column.marked > 0)
    return fmt::format("column \"{}\": {} in {} is taken as a missing value; if it is a value: {} empty", column.name,
                       io::quote(column.marker), counted(column.marked, "row"), setting("data.missing"));
  if (column.is_label || column.is_placing) return "";
  if (!column.is_numeric && rows > 20 && 2 * column.categories > rows)
    return fmt::format(
        "column \"{}\" has {} different texts for {} {}: a name rather than a category? leave it out{}", column.name,
        column.categories, rows, things_of(column), how_to_leave_out(column));
  if (column.is_unnamed_index) return "";  // left out, which is noted
  if (column.counts_rows)
    return fmt::format(
        "column \"{}\" numbers the rows: a row number says nothing about the {}, or too much if the rows are "
        "sorted; leave it out{}",
        column.name, column.is_of_edges ? "edge" : "node", how_to_leave_out(column));
  return "";
}

std::vector<std::string> column_warnings(const std::vector<ColumnFacts>& columns, std::uint64_t rows) {
  std::vector<std::string> warnings;
  if (rows == 0) return warnings;
  for (const ColumnFacts& column : columns) {
    if (column.is_empty)
      warnings.push_back(fmt::format("column \"{}\" is empty and not used", column.name));
    else if (column.is_constant)
      warnings.push_back(
          fmt::format("column \"{}\" has the same value everywhere and carries no information", column.name));
    else if (2 * column.missing > rows)
      warnings.push_back(fmt::format("column \"{}\" is missing for {} of {} {}", column.name, column.missing, rows,
                                     things_of(column)));
    if (column.is_unnamed_index && !column.is_label)
      warnings.push_back(fmt::format("column \"{}\" has no name and numbers the rows: it is left out", column.name));
    if (std::string doubt = column_type_warning(column, rows); !doubt.empty()) warnings.push_back(std::move(doubt));
  }
  return warnings;
}

}  // namespace edgewise::train
