#include "edgewise/data/label_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/cell_lists.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::data {
namespace {

std::set<std::string> labels_of(std::string_view cell, std::string_view separator) {
  std::set<std::string> labels;
  for (const std::string_view entry : list_entries(cell, separator))
    if (!entry.empty()) labels.emplace(entry);
  return labels;
}

}  // namespace

std::vector<std::string_view> list_entries(std::string_view text, std::string_view separator) {
  const std::string_view list = io::between(trimmed(text), '[', ']');
  const bool is_bracketed = list.size() < trimmed(text).size();
  std::vector<std::string_view> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    const std::string_view entry = trimmed(list.substr(begin, end - begin));
    entries.push_back(is_bracketed ? io::without_quotes(entry) : entry);
    begin = end + separator.size();
  }
  return entries;
}

std::vector<std::string> split_label_lists(std::string_view column_name, std::string_view separator,
                                           std::span<const std::string> known, io::NodeTable& table) {
  const io::Column& lists = table.at(column_name);
  std::vector<std::set<std::string>> cells;
  std::set<std::string> all;
  for (std::size_t row = 0; row < lists.size(); ++row) {
    cells.push_back(labels_of(lists.text(row), separator));
    all.insert(cells.back().begin(), cells.back().end());
  }
  const std::vector<std::string> labels = known.empty() ? std::vector(all.begin(), all.end())
                                                        : std::vector(known.begin(), known.end());
  std::vector<io::Column> columns;
  for (const std::string& label : labels) {
    if (label != column_name && table.find(label) != nullptr)
      throw DataError(fmt::format("{}: column \"{}\": the label {} has the name of another column", table.file,
                                  column_name, io::quote(label)));
    columns.push_back({.name = label, .numbers = std::vector<float>(cells.size(), 0), .codes = {}, .categories = {}});
  }
  for (std::size_t row = 0; row < cells.size(); ++row) {
    for (const std::string& entry : cells[row]) {
      const auto label = std::ranges::find(labels, entry);
      if (label == labels.end())
        throw DataError(table.where(row), fmt::format("column \"{}\": {} is not one of the model's labels ({})",
                                                      column_name, io::quote(entry), first_of(labels)));
      columns[static_cast<std::size_t>(label - labels.begin())].numbers[row] = 1;
    }
    if (!lists.is_missing(row)) continue;
    for (io::Column& column : columns) {
      column.numbers[row] = std::numeric_limits<float>::quiet_NaN();
      ++column.missing;
    }
  }
  std::erase_if(table.columns, [&](const io::Column& column) { return column.name == column_name; });
  std::ranges::move(columns, std::back_inserter(table.columns));
  return labels;
}

}  // namespace edgewise::data
