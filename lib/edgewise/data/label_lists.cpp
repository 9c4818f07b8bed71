#include "edgewise/data/label_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::data {
namespace {

std::vector<std::string> entries_of(std::string_view cell, std::string_view separator) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= cell.size();) {
    const std::size_t end = std::min(cell.find(separator, begin), cell.size());
    std::string_view entry = cell.substr(begin, end - begin);
    begin = end + separator.size();
    const std::size_t first = entry.find_first_not_of(" \t");
    if (first == entry.npos) continue;
    entries.emplace_back(entry.substr(first, entry.find_last_not_of(" \t") + 1 - first));
  }
  return entries;
}

std::vector<std::string> labels_in(const std::vector<std::vector<std::string>>& cells) {
  std::set<std::string> labels;
  for (const std::vector<std::string>& cell : cells) labels.insert(cell.begin(), cell.end());
  return {labels.begin(), labels.end()};
}

}  // namespace

std::vector<std::string> split_label_lists(std::string_view column_name, std::string_view separator,
                                           std::span<const std::string> known, io::NodeTable& table) {
  const io::Column lists = table.at(column_name);
  std::vector<std::vector<std::string>> cells;
  for (std::size_t row = 0; row < lists.size(); ++row) cells.push_back(entries_of(lists.text(row), separator));
  const std::vector<std::string> labels = known.empty() ? labels_in(cells) : std::vector(known.begin(), known.end());
  std::erase_if(table.columns, [&](const io::Column& column) { return column.name == column_name; });
  const std::size_t first = table.columns.size();
  for (const std::string& label : labels) {
    if (table.find(label) != nullptr)
      throw DataError(fmt::format("{}: column \"{}\": the label {} has the name of another column", table.file,
                                  column_name, io::quote(label)));
    io::Column column{.name = label, .numbers = std::vector<float>(lists.size(), 0), .codes = {}, .categories = {}};
    table.columns.push_back(std::move(column));
  }
  for (std::size_t row = 0; row < cells.size(); ++row) {
    for (const std::string& entry : cells[row]) {
      const auto label = std::ranges::find(labels, entry);
      if (label == labels.end())
        throw DataError(table.where(row), fmt::format("column \"{}\": {} is not one of the model's labels ({})",
                                                      column_name, io::quote(entry), edgewise::first_of(labels)));
      table.columns[first + static_cast<std::size_t>(label - labels.begin())].numbers[row] = 1;
    }
    if (!lists.is_missing(row)) continue;
    for (std::size_t c = first; c < table.columns.size(); ++c) {
      table.columns[c].numbers[row] = std::numeric_limits<float>::quiet_NaN();
      ++table.columns[c].missing;
    }
  }
  return labels;
}

}  // namespace edgewise::data
