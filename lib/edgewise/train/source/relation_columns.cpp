#include "edgewise/train/source/relation_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/column_scaler.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

/// KIND:RELATION:KIND.COLUMN.
std::string name_of_column(const std::string& relation, const std::string& column) {
  return fmt::format("{}.{}", relation, column);
}

/// Codes of the categories that a model knows; others are missing, and noted.
void take_categories(const std::vector<std::string>& known, io::Column& column, std::vector<std::string>& notes) {
  std::vector<std::int32_t> codes(column.size(), -1);
  std::size_t unknown = 0;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (column.is_missing(row)) continue;
    const auto found = std::ranges::find(known, column.text(row));
    if (found != known.end()) codes[row] = static_cast<std::int32_t>(found - known.begin());
    unknown += found == known.end() ? 1 : 0;
  }
  if (unknown > 0)
    notes.push_back(fmt::format("column \"{}\": {} not among the categories that the model knows", column.name,
                                counted(unknown, "value is", "values are")));
  column.is_numeric = false;
  column.categories = known;
  column.codes = std::move(codes);
}

/// Makes a column of edges what it was when the model was trained.
void take_type(const io::NodeTable& table, Dataset& data, io::Column& column) {
  const io::Categories& categories = data.reading.edge_categories;
  const auto known = categories.find(column.name);
  if (known != categories.end()) return take_categories(known->second, column, data.notes);
  for (std::size_t row = 0; row < table.rows() && !column.is_numeric; ++row) table.number(column, row);  // throws
}

}  // namespace

io::NodeTable read_columns(const DataConfig& config, const std::vector<std::string>& relations,
                           const io::EdgeListResult& list, const LoadOptions& options) {
  LoadOptions with_texts = options;
  std::vector<std::string> asked;
  for (const std::string& column : list.report.unused_columns) {
    const auto is_asked = [&](const std::string& wanted) {
      return wanted == column || std::ranges::any_of(relations, [&](const std::string& relation) {
               return wanted == name_of_column(relation, column);
             });
    };
    if (std::ranges::any_of(config.edge_features, is_asked)) asked.push_back(column);
    for (const std::string& relation : relations)
      if (config.edge_categories.contains(name_of_column(relation, column))) with_texts.texts.names.push_back(column);
  }
  if (asked.empty() || !list.report.has_header) return {};
  return read_edge_table(config, with_texts, asked, list);
}

void take_columns(const io::NodeTable& table, const std::string& relation, const LoadOptions& options, Dataset& data,
                  ReadRelation& read) {
  if (table.columns.empty()) return;
  io::NodeTable own = io::rows_of(table, read.rows);
  for (const std::string& wanted : data.reading.edge_features)
    for (io::Column& column : own.columns) {
      const std::string name = name_of_column(relation, column.name);
      if (wanted != column.name && wanted != name) continue;
      if (column.missing == column.size() && !options.is_for_model()) continue;
      column.name = name;
      if (options.is_for_model())
        take_type(own, data, column);
      else
        note_edge_column(column, data);
      read.columns.push_back(std::exchange(column, {}));
    }
}

void take_column_names(const std::vector<ReadRelation>& relations, DataConfig& config) {
  std::vector<std::string> names, others;
  for (const ReadRelation& read : relations) {
    std::ranges::copy(read.others, std::back_inserter(others));
    for (const io::Column& column : read.columns) {
      names.push_back(column.name);
      if (!column.is_numeric) config.edge_categories[column.name] = column.categories;
    }
  }
  const auto is_there = [&](const std::string& wanted) {
    return std::ranges::any_of(names, [&](const std::string& name) {
      return name == wanted || name.ends_with(fmt::format(".{}", wanted));
    });
  };
  for (const std::string& wanted : config.edge_features)
    if (!is_there(wanted))
      throw UsageError(fmt::format("{}: no edges have values in a column {}; other columns: {}{}",
                                   setting("data.edge_features"), io::quote(wanted),
                                   others.empty() ? "none" : fmt::format("{}", fmt::join(others, ", ")),
                                   did_you_mean(wanted, others)));
  config.edge_features = std::move(names);
}

void note_far_values(const std::vector<ReadRelation>& relations, const std::vector<ReadKind>& kinds, Dataset& data) {
  const data::ColumnScaler& scaler = data.reading.edge_scaler;
  std::size_t number = 0;
  for (const ReadRelation& read : relations)
    for (const io::Column& column : read.columns) {
      if (!column.is_numeric || number == scaler.columns()) continue;
      const std::optional<data::ValueRange>& range = scaler.range(number++);
      data::FarValues far;
      for (std::size_t row = 0; range && row < column.size(); ++row) far.add(column.numbers[row], row, *range);
      if (!far.are_odd()) continue;
      const auto& [from, to] = read.ends[far.row];
      data.notes.push_back(fmt::format(
          "column \"{}\": {}", column.name,
          to_string(far, *range, fmt::format("from \"{}\" to \"{}\"", kinds[read.relation.source].names[from],
                                             kinds[read.relation.target].names[to]))));
    }
}

std::vector<std::string> feature_names(const std::vector<io::Column>& columns) {
  std::vector<std::string> names;
  for (const io::Column& column : columns) {
    if (column.is_numeric) names.push_back(column.name);
    for (const std::string& category : column.categories) names.push_back(fmt::format("{} = {}", column.name, category));
  }
  return names;
}

void write_features(const std::vector<io::Column>& columns, std::size_t row, float* features) {
  for (const io::Column& column : columns) {
    if (column.is_numeric) {
      *features++ = column.numbers[row];
      continue;
    }
    if (!column.is_missing(row)) features[column.codes[row]] = 1;
    features += column.categories.size();
  }
}

}  // namespace edgewise::train
