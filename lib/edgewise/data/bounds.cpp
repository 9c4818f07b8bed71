#include "edgewise/data/bounds.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::data {
namespace {

constexpr std::pair<std::string_view, int> kSigns[] = {
    // longer ones first
    {">=", 1}, {">>", 1}, {"=>", 1}, {"<=", -1}, {"<<", -1}, {"=<", -1}, {"==", 0},
    {">", 1},  {"≥", 1},  {"<", -1}, {"≤", -1},  {"=", 0},   {"~", 0},   {"≈", 0}};

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted =
      text.size() > 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

struct Measurement {
  float number = 0;
  std::int8_t bound = 0;
};

/// "5", "> 5" or "<=5".
std::optional<Measurement> parse_measurement(std::string_view text) {
  const Related related = parse_related(text).value_or(Related{.rest = trimmed(text)});
  Measurement measurement{.bound = static_cast<std::int8_t>(related.relation)};
  if (io::parse_number(related.rest, measurement.number) != io::NumberFault::none) return std::nullopt;
  return measurement;
}

}  // namespace

std::optional<int> parse_relation(std::string_view text) {
  const std::string_view sign = without_quotes(trimmed(text));
  const auto* known = std::ranges::find(kSigns, sign, [](const auto& pair) { return pair.first; });
  return known == std::end(kSigns) ? std::nullopt : std::optional(known->second);
}

std::optional<Related> parse_related(std::string_view text) {
  const std::string_view cell = trimmed(text);
  for (const auto& [sign, relation] : kSigns)
    if (cell.starts_with(sign)) return Related{relation, trimmed(cell.substr(sign.size()))};
  return std::nullopt;
}

bool marks_bounds(const io::Column& column) {
  if (column.is_numeric) return false;
  bool has_bound = false;
  for (const std::string& category : column.categories) {
    const std::optional<int> relation = parse_relation(category);
    if (!relation) return false;
    has_bound = has_bound || *relation != 0;
  }
  return has_bound;
}

bool take_bounds(io::Column& column) {
  if (column.is_numeric) return false;
  std::vector<Measurement> measurements;
  bool has_bound = false;
  for (const std::string& category : column.categories) {
    const std::optional<Measurement> measurement = parse_measurement(category);
    if (!measurement) return false;
    has_bound = has_bound || measurement->bound != 0;
    measurements.push_back(*measurement);
  }
  if (!has_bound) return false;
  column.numbers.assign(column.codes.size(), std::numeric_limits<float>::quiet_NaN());
  column.bounds.assign(column.codes.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (column.codes[row] < 0) continue;
    const Measurement& measurement = measurements[static_cast<std::size_t>(column.codes[row])];
    column.numbers[row] = measurement.number;
    column.bounds[row] = measurement.bound;
  }
  column.is_numeric = true;
  column.codes.clear();
  column.categories.clear();
  return true;
}

void take_bounds(const io::Column& relations, io::Column& column) {
  column.bounds.assign(column.size(), 0);
  for (std::size_t row = 0; row < column.size(); ++row)
    if (!relations.is_missing(row) && !column.is_missing(row))
      column.bounds[row] = static_cast<std::int8_t>(parse_relation(relations.text(row)).value_or(0));
}

}  // namespace edgewise::data
