#include "edgewise/train/source/relations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "edgewise/data/splits.hpp"

namespace edgewise::train {
namespace {

constexpr std::array<std::string_view, 12> kRelations = {"=", "==", "<", ">", "<=", ">=", "<<", ">>", "~", "≤", "≥", "≈"};

/// "'>'" is how ChEMBL writes >.
std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() > 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

bool is_relation(std::string_view text) { return std::ranges::count(kRelations, without_quotes(text)) > 0; }

bool is_exact(std::string_view text) { return without_quotes(text).starts_with('='); }

bool has_bounds(const io::Column& column) {
  return !column.is_numeric && std::ranges::all_of(column.categories, is_relation) &&
         !std::ranges::all_of(column.categories, is_exact);
}

}  // namespace

std::vector<std::string> relation_notes(const JobData& data) {
  if (data.labels.task != data::Task::regression || data.labels.names.empty()) return {};
  const auto column = std::ranges::find_if(data.table.columns, has_bounds);
  if (column == data.table.columns.end()) return {};
  const std::vector<graph::Node> known = data::labelled_nodes(data.labels);
  std::map<std::string_view, std::size_t> counts;
  std::size_t bounds = 0;
  for (const graph::Node row : known) {
    if (column->is_missing(row)) continue;
    const std::string& relation = column->categories[static_cast<std::size_t>(column->codes[row])];
    if (is_exact(relation)) continue;
    ++counts[without_quotes(relation)];
    ++bounds;
  }
  if (bounds == 0) return {};
  std::vector<std::string> parts;
  for (const auto& [relation, count] : counts) parts.push_back(fmt::format("{} {}", count, relation));
  return {fmt::format("the column \"{}\" says that {} of {} values are bounds rather than measurements ({}); they are "
                      "learnt as if they were exact: to leave these rows out, empty their values of {}",
                      column->name, bounds, known.size(), fmt::join(parts, ", "),
                      fmt::join(data.labels.names, ", "))};
}

}  // namespace edgewise::train
