#include "edgewise/train/model/known_items.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "edgewise/core/error.hpp"
#include "edgewise/core/fingerprint.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/source/graph_data.hpp"

namespace edgewise::train {
namespace {

/// Labels that were read without a table, as texts.
std::vector<io::TextColumn> texts_of(const data::Labels& labels) {
  if (labels.has_classes()) {
    io::TextColumn column{"known", {}};
    for (const std::int32_t label : labels.classes)
      column.values.push_back(label < 0 ? "" : labels.names[static_cast<std::size_t>(label)]);
    return {std::move(column)};
  }
  std::vector<io::TextColumn> columns;
  for (std::size_t c = 0; c < labels.names.size(); ++c) {
    io::TextColumn column{labels.names.size() == 1 ? "known" : fmt::format("known_{}", labels.names[c]), {}, true};
    for (Eigen::Index row = 0; row < labels.targets.rows(); ++row)
      column.values.push_back(io::number_text(labels.targets(row, static_cast<Eigen::Index>(c))));
    columns.push_back(std::move(column));
  }
  return columns;
}

/// All cells of the table's rows as they are in its delimited file; nothing if they cannot be found there.
std::vector<io::TextColumn> read_cells(const io::NodeTable& table) {
  const auto place = [](std::size_t file, std::uint64_t line) { return std::uint64_t{file} << 48 | line; };
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> rows_at;  // by place: the nodes of a text share theirs
  for (std::size_t row = 0; row < table.lines.size(); ++row)
    rows_at[place(table.parts.empty() ? 0 : table.parts[row], table.lines[row])].push_back(row);
  io::CsvReader csv(table.file);
  std::vector<std::string> known = io::names_of(table.columns);
  known.push_back(table.id_column);
  std::vector<io::TextColumn> columns;
  for (const std::string& name : io::read_header(csv, known, "a table"))
    columns.push_back({name, std::vector<std::string>(table.rows())});
  std::size_t found = 0;
  while (csv.next()) {
    const auto rows = rows_at.find(place(csv.file(), csv.line()));
    if (rows == rows_at.end()) continue;
    found += rows->second.size();
    for (const std::size_t row : rows->second)
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i].values[row] = csv.fields()[i];
  }
  return found == table.rows() ? columns : std::vector<io::TextColumn>();
}

std::vector<io::TextColumn> cells_of(const io::NodeTable& table) {
  std::vector<io::TextColumn> columns;
  for (const io::Column& column : table.columns) {
    io::TextColumn texts{column.name, {}};
    for (std::size_t row = 0; row < column.size(); ++row) texts.values.push_back(column.text(row));
    columns.push_back(std::move(texts));
  }
  return columns;
}

/// ">0.25" for a lower bound.
std::string text_with_bound(const io::Column& column, std::size_t row) {
  const int bound = column.bounds.empty() ? 0 : column.bounds[row];
  return fmt::format("{}{}", bound > 0 ? ">" : bound < 0 ? "<" : "", column.text(row));
}

/// Those of the user: of molecules if their atoms are the items.
const io::NodeTable& rows_of_table(const Dataset& data) { return data.atoms ? data.atoms->rows : data.table; }

/// The cells of the file itself if it is delimited text, so that numbers keep their digits.
std::vector<io::TextColumn> texts_of_table(const Dataset& data) {
  const DataConfig& config = data.reading;
  const io::NodeTable& table = rows_of_table(data);
  const FileList& file = table.file;
  const bool has_header = data.molecules() != nullptr || config.nodes == file || FileList(config.graphs) == file ||
                          FileList(config.texts) == file;
  if (!file.empty() && has_header && io::is_delimited(file.front()))
    if (std::vector<io::TextColumn> columns = read_cells(table); !columns.empty()) return columns;
  return cells_of(table);
}

/// Whether the column holds numbers rather than codes such as 007 and others that lose digits as numbers.
bool holds_numbers(const io::Column& column) {
  if (column.is_numeric) return column.zero_led.empty() && column.rounded.empty();
  return std::ranges::all_of(column.categories, [](const std::string& text) {
    return io::is_number(text) && !io::changes_as_float(text);
  });
}

std::vector<io::TextColumn> all_cells(const Dataset& data) {
  std::vector<io::TextColumn> columns = texts_of_table(data);
  for (io::TextColumn& texts : columns) {
    const io::Column* column = rows_of_table(data).find(texts.name);
    texts.is_numeric = column != nullptr && holds_numbers(*column);
  }
  return columns;
}

}  // namespace

std::string fingerprint_of(const Dataset& data, const data::Split& split) {
  Fingerprint fingerprint;
  for (std::size_t item = 0; item < split.size(); ++item) {
    fingerprint.add(data.items()[static_cast<graph::Node>(item)]);
    if (data.pairs) fingerprint.add(data.pairs->texts.sources[item]);  // their names are numbers
    const char role[] = {'\0', static_cast<char>(split[item]), '\0'};
    fingerprint.add({role, 2});
  }
  return fingerprint.text();
}

const std::vector<std::string>& label_columns_of(const TrainedModel& trained, const DataConfig& config) {
  return config.label.empty() ? trained.data.label : config.label;
}

data::Labels labels_for(const TrainedModel& trained, const Dataset& data, const std::vector<std::string>& columns) {
  if (!data.labels.names.empty()) return data.labels.names == trained.label_names ? data.labels : data::Labels{};
  for (const std::string& column : columns)
    if (data.table.find(column) == nullptr) return {};
  if (columns.empty()) return {};
  data::LabelOptions options{.columns = columns, .task = trained.task};
  if (trained.task.has_classes()) options.classes = trained.label_names;
  try {
    data::Labels labels = data::read_labels(data.table, options);
    labels.names = trained.label_names;
    if (data.graphs) forget_labels(data.graphs->problems, labels);
    return labels;
  } catch (const DataError&) {  // labels other than in training
    return {};
  }
}

std::optional<data::Split> training_split(const TrainedModel& trained, const Dataset& data) {
  const TrainingRecord& training = trained.training;
  if (training.split_mark.empty() || data.labels.names.empty()) return std::nullopt;
  try {
    data::Split split = make_split(data, trained.split, training.seed, training.run);
    if (split.size() == data.items().size() && fingerprint_of(data, split) == training.split_mark) return split;
  } catch (const Error&) {  // a split that this data does not have
  }
  return std::nullopt;
}

std::vector<io::TextColumn> known_columns(const Dataset& data, const std::vector<std::string>& labels) {
  const bool are_classes = data.labels.has_classes() && !data.labels.names.empty();
  if (are_classes) return texts_of(data.labels);  // spelt as the predictions are
  std::vector<io::TextColumn> columns, cells;
  for (const std::string& label : labels) {
    const io::Column* column = data.table.find(label);
    if (column == nullptr) return data.labels.names.empty() ? std::vector<io::TextColumn>{} : texts_of(data.labels);
    if (column->is_numeric && cells.empty() && !data.atoms) cells = texts_of_table(data);
    const auto in_file = std::ranges::find(cells, label, &io::TextColumn::name);
    const bool are_numbers = column->is_numeric && (column->bounds.empty() || !data.atoms);
    io::TextColumn texts{labels.size() == 1 ? "known" : fmt::format("known_{}", label), {}, are_numbers};
    for (std::size_t row = 0; row < column->size(); ++row)
      texts.values.push_back(column->is_missing(row) ? ""
                             : in_file != cells.end() ? in_file->values[row]
                                                      : text_with_bound(*column, row));
    columns.push_back(std::move(texts));
  }
  if (columns.empty() && !data.labels.names.empty()) return texts_of(data.labels);
  return columns;
}

io::TextColumn split_text(const data::Split& split) {
  io::TextColumn column{"split", {}};
  for (const data::Role role : split) column.values.emplace_back(role == data::Role::none ? "" : data::role_name(role));
  return column;
}

std::vector<io::TextColumn> kept_columns(const Dataset& data, const std::vector<std::string>& names) {
  std::vector<io::TextColumn> all = all_cells(data);
  if (names.empty()) {
    std::erase_if(all, [&](const io::TextColumn& column) { return column.name == data.table.id_column; });
    return all;
  }
  std::vector<io::TextColumn> kept;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const io::TextColumn& column) { return column.name == name; });
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const io::TextColumn& column : all) known.push_back(column.name);
      throw UsageError(
          fmt::format("{}: there is no column \"{}\"; there are {}", setting("keep"), name, fmt::join(known, ", ")));
    }
    kept.push_back(*found);
  }
  return kept;
}

}  // namespace edgewise::train
