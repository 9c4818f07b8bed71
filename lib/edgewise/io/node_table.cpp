#include "edgewise/io/node_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/detail/keyed_table.hpp"
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

/// The columns of a table whose rows are numbered.
detail::SpecialColumns columns_of_numbered(const std::vector<std::string>& header, const NodeTableOptions& options) {
  const std::optional<std::size_t> id = options.may_name_rows ? usual_id_column(header) : std::nullopt;
  return {.key = detail::kNoKey, .verbatim = id && options.may_name_rows(header[*id]) ? id : std::nullopt};
}

/// Adds the row's node; false to skip the row.
bool add_node(std::string_view name, std::uint64_t line, const NodeTableOptions& options, NodeTable& table) {
  if (options.is_numbered) {
    table.names.add(std::to_string(table.names.size() + 1));
    table.lines.push_back(line);
    return true;
  }
  if (name.empty())
    throw DataError(TextLocation{table.file, line, 0},
                    fmt::format("column {}: expected a node, found nothing", quote(table.id_column)));
  const graph::Node node = table.names.add(name);
  if (node == table.lines.size()) {
    table.lines.push_back(line);
    return true;
  }
  if (options.duplicates == DuplicateRows::refuse)
    throw DataError(TextLocation{table.file, line, 0},
                    fmt::format("node {} is in line {} already; expected one row per node", quote(name),
                                table.lines[node]));
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

TextLocation NodeTable::where(std::size_t row) const { return {file, row < lines.size() ? lines[row] : 0, 0}; }

float NodeTable::number(const Column& column, std::size_t row) const {
  if (column.is_numeric) return column.numbers[row];
  if (column.is_missing(row)) return std::numeric_limits<float>::quiet_NaN();
  return require_number(column.text(row), where(row), column.name);
}

std::string NodeTable::no_rows() const { return fmt::format("{}: has a header and no rows", file); }

const Column* NodeTable::find(std::string_view name) const { return find_column(columns, name); }

const Column& NodeTable::at(std::string_view name) const {
  if (name == id_column && !name.empty() && find(name) == nullptr)
    throw DataError(
        fmt::format("{}: the column \"{}\" holds the names of the nodes ({}), which are neither features "
                    "nor labels",
                    file, name, setting("data.id")));
  if (header.empty() || find(name) != nullptr) return column_at(columns, name, file);
  if (std::ranges::count(header, name) > 0)
    throw DataError(fmt::format("{}: the column {} holds the nodes, which are neither labels nor a split", file,
                                quote(name)));
  refuse_column(header, name, file);
}

NodeTable read_node_table(const std::string& path, const NodeTableOptions& options) {
  NodeTable table;
  std::string usual_id;
  bool is_id_guessed = false;
  const detail::KeyHandler handler = {
      [&](const std::vector<std::string>& header) {
        if (options.is_numbered) {
          const detail::SpecialColumns special = columns_of_numbered(header, options);
          if (special.verbatim) usual_id = header[*special.verbatim];
          return special;
        }
        const std::optional<std::size_t> column = find_id_column(header, path, options);
        is_id_guessed = !column;
        return detail::SpecialColumns{.key = column.value_or(0)};
      },
      [&](const std::string& column) {
        table = NodeTable();
        table.file = path;
        table.id_column = column;
        table.usual_id = usual_id;
        table.is_id_guessed = is_id_guessed;
      },
      [&](std::string_view name, std::uint64_t line) { return add_node(name, line, options, table); }};
  std::vector<std::string> usual = {options.id_column, options.preferred_id};
  usual.insert(usual.end(), kIdNames.begin(), kIdNames.end());
  table.columns = detail::read_keyed_table(path,
                                           {options.delimiter, options.header, options.expected, options.columns,
                                            options.categorical, options.verbatim, options.texts, options.numeric,
                                            options.missing, std::move(usual)},
                                           handler);
  return table;
}

}  // namespace edgewise::io
