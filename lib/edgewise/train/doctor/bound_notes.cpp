#include "edgewise/train/doctor/bound_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/core/setting.hpp"
#include "edgewise/data/bounds.hpp"
#include "edgewise/data/splits.hpp"

namespace edgewise::train {
namespace {

std::size_t count_known(const Matrix& values) {
  return static_cast<std::size_t>((values.array() == values.array()).count());
}

/// The note about a column that marks bounds that are not learnt as such.
std::vector<std::string> ignored_bound_notes(const Dataset& data) {
  const auto column = std::ranges::find_if(data.table.columns, data::marks_bounds);
  if (column == data.table.columns.end()) return {};
  const std::vector<graph::Node> known = data::labelled_nodes(data.labels);
  const auto is_bound = [&](graph::Node row) { return data::parse_relation(column->text(row)).value_or(0) != 0; };
  const auto bounds = std::ranges::count_if(known, is_bound);
  if (bounds == 0) return {};
  return {
      fmt::format("the column \"{}\" says that {} of {} values are bounds rather than measurements; they are learnt "
                  "as if they were exact: to leave these rows out, empty their values of {}",
                  column->name, bounds, known.size(), fmt::join(data.labels.names, ", "))};
}

}  // namespace

std::vector<std::string> bound_notes(const Dataset& data) {
  const data::Labels& labels = data.labels;
  if (!labels.task.takes_bounds || labels.names.empty()) return {};
  if (!labels.has_bounds()) return ignored_bound_notes(data);
  const std::size_t lower = count_known(labels.lower_bounds), upper = count_known(labels.upper_bounds);
  if (lower + upper == 0) return {};
  const std::size_t exact = count_known(labels.targets);
  return {
      fmt::format("{} of {} values are bounds ({} >, {} <): they cost nothing on the right side, and metrics count "
                  "exact values only, with bounds_held as the share of bounds that predictions respect; {} "
                  "none takes none as a bound",
                  lower + upper, lower + upper + exact, lower, upper, setting("data.relation"))};
}

}  // namespace edgewise::train
