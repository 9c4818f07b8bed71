#include "edgewise/io/node_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <array>
#include <limits>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/detail/keyed_table.hpp"
#include "edgewise/io/memory_table.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<const char*, 4> kIdNames = {"id", "node", "node_id", "name"};

/// The column with the names; nothing if neither the options nor the header say which.
std::optional<std::size_t> find_id_column(const std::vector<std::string>& header, const std::string& path,
                                          const NodeTableOptions& options) {
  if (!options.id_column.empty()) return column_index(header, options.id_column, path);
  if (const auto found = std::ranges::find(header, options.preferred_id); found != header.end())
    return static_cast<std::size_t>(found - header.begin());
  return usual_id_column(header);
}

/// Throws DataError if the names of columns look like a row, as the one over the nodes is a number. Programs that
/// number columns begin with 0 or 1, as node ids may: an edge of this node tells.
void refuse_row_as_header(const std::vector<std::string>& header, std::size_t id, const std::string& path) {
  const std::optional<std::uint64_t> first = parse_index(header.front());
  bool counts = first && *first <= 1;
  for (std::size_t i = 0; i < header.size(); ++i) counts = counts && parse_index(header[i]) == *first + i;
  if (!counts && is_number(header[id])) throw DataError(fmt::format("{}: {}", path, kHeaderIsRow));
}

/// The columns of a table whose rows are numbered.
detail::SpecialColumns columns_of_numbered(const std::vector<std::string>& header, const NodeTableOptions& options) {
  const std::optional<std::size_t> id = options.may_name_rows ? usual_id_column(header) : std::nullopt;
  return {.key = detail::kNoKey, .verbatim = id && options.may_name_rows(header[*id]) ? id : std::nullopt};
}

/// Adds the row's node; false to skip the row.
bool add_node(std::string_view name, std::uint64_t line, std::uint16_t file, const NodeTableOptions& options,
              NodeTable& table) {
  const auto add_place = [&] {
    table.lines.push_back(line);
    if (table.file.size() > 1) table.parts.push_back(file);
  };
  if (options.is_numbered) {
    table.names.add(std::to_string(table.names.size() + 1));
    add_place();
    return true;
  }
  const TextLocation where{table.file.files()[file], line, 0};
  if (name.empty())
    throw DataError(where,
                    fmt::format("column {}: expected a node, found nothing", quote(table.id_column)));
  const graph::Node node = table.names.add(name);
  if (node == table.lines.size()) {
    add_place();
    return true;
  }
  if (options.duplicates == DuplicateRows::refuse)
    throw DataError(where, fmt::format("node {} is in {} already; expected one row per node", quote(name),
                                       table.place_of(node)));
  ++table.duplicates_dropped;
  return false;
}

}  // namespace

NodeTable row_of(const NodeTable& table, std::size_t row) {
  NodeTable one;
  one.file = table.file;
  one.header = table.header;
  one.id_column = table.id_column;
  one.names.add(table.names[row]);
  if (!table.lines.empty()) one.lines = {table.lines[row]};
  if (!table.parts.empty()) one.parts = {table.parts[row]};
  for (const Column& column : table.columns) {
    Column& cell = one.columns.emplace_back();
    cell.name = column.name;
    cell.is_numeric = column.is_numeric;
    cell.missing = column.is_missing(row) ? 1 : 0;
    if (!column.bounds.empty()) cell.bounds = {column.bounds[row]};
    if (column.is_numeric) {
      cell.numbers = {column.numbers[row]};
      continue;
    }
    cell.codes = {column.codes[row] < 0 ? -1 : 0};
    if (column.codes[row] >= 0) cell.categories = {column.categories[static_cast<std::size_t>(column.codes[row])]};
  }
  return one;
}

NodeTable rows_of(const NodeTable& table, const std::vector<std::size_t>& rows) {
  const auto taken = [&](const auto& values) {
    std::decay_t<decltype(values)> some;
    if (values.empty()) return some;
    for (const std::size_t row : rows) some.push_back(values[row]);
    return some;
  };
  NodeTable some = table;
  some.names = graph::NodeNames::numbered(0);
  for (std::size_t row = 1; row <= rows.size(); ++row) some.names.add(std::to_string(row));
  some.lines = taken(table.lines);
  some.parts = taken(table.parts);
  for (Column& column : some.columns) {
    column.numbers = taken(column.numbers);
    column.codes = taken(column.codes);
    column.bounds = taken(column.bounds);
    column.missing = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) column.missing += column.is_missing(row) ? 1 : 0;
  }
  return some;
}

std::optional<std::size_t> usual_id_column(const std::vector<std::string>& header) {
  const auto neo4j = std::ranges::find_if(header, [](const std::string& name) { return name.ends_with(":ID"); });
  if (neo4j != header.end()) return static_cast<std::size_t>(neo4j - header.begin());
  for (const std::string_view usual : kIdNames) {
    const auto found = std::find_if(header.begin(), header.end(),
                                    [&](const std::string& name) { return equals_ignoring_case(name, usual); });
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  }
  return std::nullopt;
}

TextLocation NodeTable::where(std::size_t row) const {
  if (row >= lines.size() || lines[row] == 0) return {file.text(), 0, 0};
  return {parts.empty() ? file.front() : file.files()[parts[row]], lines[row], 0};
}

std::string NodeTable::place_of(std::size_t row) const {
  const TextLocation place = where(row);
  if (place.line == 0) return fmt::format("row {}", row + 1);
  return fmt::format("line {}{}", place.line, parts.empty() ? "" : fmt::format(" of {}", place.file));
}

float NodeTable::number(const Column& column, std::size_t row) const {
  if (column.is_numeric) return column.numbers[row];
  if (column.is_missing(row)) return std::numeric_limits<float>::quiet_NaN();
  return require_number(column.text(row), where(row), column.name);
}

std::string NodeTable::no_rows() const { return fmt::format("{}: has a header and no rows", file); }

std::string NodeTable::name_of(const std::string& wanted) const {
  const std::optional<std::uint64_t> position = parse_index(wanted);
  const bool is_name = std::ranges::count(file_columns, wanted) > 0 || find(wanted) != nullptr;
  if (is_name || !position || *position < 1 || *position > file_columns.size()) return wanted;
  return file_columns[static_cast<std::size_t>(*position - 1)];
}

const Column* NodeTable::find(std::string_view name) const { return find_column(columns, name); }

const Column& NodeTable::at(std::string_view name) const {
  if (name == id_column && !name.empty() && find(name) == nullptr)
    throw DataError(
        fmt::format("{}: the column \"{}\" holds the names of the nodes ({}), which are neither features "
                    "nor labels",
                    file, name, setting("data.id")));
  if (header.empty() || find(name) != nullptr) return column_at(columns, name, file.text());
  if (std::ranges::count(header, name) > 0)
    throw DataError(fmt::format("{}: the column {} holds the nodes, which are neither labels nor a split", file,
                                quote(name)));
  refuse_column(header, name, file.text());
}

NodeTable read_node_table(const FileList& files, const NodeTableOptions& options) {
  NodeTable table;
  std::string usual_id;
  std::vector<std::string> file_columns;
  bool is_id_guessed = false;
  std::uint16_t file = 0;
  const detail::KeyHandler handler = {
      .choose = [&](const std::vector<std::string>& header) {
        file_columns = header;
        if (options.is_numbered) {
          const detail::SpecialColumns special = columns_of_numbered(header, options);
          if (special.verbatim) usual_id = header[*special.verbatim];
          return special;
        }
        const std::optional<std::size_t> column = find_id_column(header, files.text(), options);
        is_id_guessed = !column;
        if (options.id_column.empty() && table_in_memory(files.front()) == nullptr)
          refuse_row_as_header(header, column.value_or(0), files.front());
        return detail::SpecialColumns{.key = column.value_or(0)};
      },
      .start = [&](const std::string& column) {
        table = NodeTable();
        table.file = files;
        table.id_column = column;
        table.file_columns = file_columns;
        table.usual_id = usual_id;
        table.is_id_guessed = is_id_guessed;
      },
      .add = [&](std::string_view name, std::uint64_t line) { return add_node(name, line, file, options, table); },
      .begin_file = [&](std::size_t begun) { file = static_cast<std::uint16_t>(begun); }};
  std::vector<std::string> usual = {options.id_column, options.preferred_id};
  usual.insert(usual.end(), kIdNames.begin(), kIdNames.end());
  table.columns = detail::read_keyed_table(files,
                                           {options.expected, options.columns, options.categorical, options.verbatim,
                                            options.texts, options.numeric, options.missing, std::move(usual)},
                                           handler);
  return table;
}

}  // namespace edgewise::io
