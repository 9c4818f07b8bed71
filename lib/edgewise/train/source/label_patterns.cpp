#include "edgewise/train/source/label_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/list.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/odd_cells.hpp"

namespace edgewise::train {
namespace {

bool is_pattern(const std::string& label) { return label.find_first_of("*?[") != std::string::npos; }

/// The columns that `pattern` stands for, one name if it is a name.
std::vector<std::string> matches_of(const std::string& pattern, const std::vector<std::string>& columns) {
  return expand_patterns({pattern}, columns);
}

/// Throws DataError for a column of amounts that a pattern matches, but that one cell makes a column of text.
void refuse_odd_matches(const Dataset& data) {
  for (const io::Column& column : data.table.columns) {
    const std::vector<std::string> name = {column.name};
    const bool is_named = std::ranges::count(data.reading.label, column.name) > 0 ||
                          std::ranges::count(data.reading.ignore, column.name) > 0 ||
                          std::ranges::count(data.reading.categorical, column.name) > 0;
    if (is_named || column.is_numeric) continue;
    for (const std::string& label : data.reading.label)
      if (is_pattern(label) && matches_of(label, name) == name)
        data::refuse_odd_cells(data.table, column,
                               fmt::format("if it is not to be learnt: {}", setting("data.ignore")));
  }
}

/// Throws DataError for a pattern that matches no column of numbers.
void refuse_idle_patterns(const Dataset& data, const std::vector<std::string>& candidates) {
  for (const std::string& label : data.reading.label) {
    const bool is_column = data.table.find(label) != nullptr;
    if (is_column || !is_pattern(label) || matches_of(label, candidates) != std::vector{label}) continue;
    throw DataError(fmt::format("{}: no column \"{}\", and as a pattern it matches no column of numbers; {}",
                                data.table.file, label,
                                candidates.empty() ? "there is none" : "there are " + io::list_of_columns(candidates)));
  }
}

}  // namespace

void expand_labels(Dataset& data) {
  std::vector<std::string> candidates;
  for (const io::Column& column : data.table.columns)
    if (std::ranges::count(data.reading.label, column.name) > 0 ||  // not a pattern, whatever it looks like
        (column.is_numeric && std::ranges::count(data.reading.ignore, column.name) == 0))
      candidates.push_back(column.name);
  refuse_odd_matches(data);
  refuse_idle_patterns(data, candidates);
  data.reading.label = expand_patterns(data.reading.label, candidates);
}

}  // namespace edgewise::train
