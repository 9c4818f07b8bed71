#include "edgewise/io/node_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "edgewise/io/detail/column_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<std::string_view, 4> kIdNames = {"id", "node", "node_id", "name"};

/// What the options say about the columns of this file.
struct Layout {
  std::vector<std::string> header;
  std::size_t id = 0;
  std::vector<std::size_t> kept;  // columns of the file that become columns of the table
  std::vector<detail::ColumnKind> kinds;  // of the columns of the file
};

Layout make_layout(std::vector<std::string> header, const std::string& path, const NodeTableOptions& options) {
  Layout layout;
  layout.header = std::move(header);
  const auto index = [&](const std::string& wanted) { return column_index(layout.header, wanted, path); };
  if (!options.id_column.empty()) {
    layout.id = index(options.id_column);
  } else {
    for (const std::string_view usual : kIdNames) {
      const auto found = std::find_if(layout.header.begin(), layout.header.end(),
                                      [&](const std::string& name) { return equals_ignoring_case(name, usual); });
      if (found == layout.header.end()) continue;
      layout.id = static_cast<std::size_t>(found - layout.header.begin());
      break;
    }
  }
  std::vector<bool> is_kept(layout.header.size(), options.columns.empty());
  for (const std::string& name : options.columns) is_kept[index(name)] = true;
  is_kept[layout.id] = false;
  for (std::size_t i = 0; i < is_kept.size(); ++i)
    if (is_kept[i]) layout.kept.push_back(i);
  layout.kinds.assign(layout.header.size(), detail::ColumnKind::unknown);
  for (const std::string& name : options.categorical) layout.kinds[index(name)] = detail::ColumnKind::categorical;
  for (const std::string& name : options.numeric) {
    detail::ColumnKind& kind = layout.kinds[index(name)];
    if (kind == detail::ColumnKind::categorical)
      throw UsageError(fmt::format("{}: column {} cannot be both numeric and categorical", path, quote(name)));
    kind = detail::ColumnKind::numeric;
  }
  return layout;
}

/// Goes to the first row of data and says what the columns are called.
std::vector<std::string> read_header(CsvReader& reader, HeaderRow header) {
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected a table of nodes", reader.path()));
  if (header != HeaderRow::no) return header_names(reader.fields(), reader.where());
  reader.hold();
  return numbered_columns(reader.fields().size());
}

/// Adds the row's node; false when it is to be skipped.
bool add_node(std::string_view name, std::uint64_t line, const NodeTableOptions& options, NodeTable& table) {
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
                    fmt::format("node {} stands in line {} already; one row a node is expected", quote(name),
                                table.lines[node]));
  ++table.duplicates_dropped;
  return false;
}

/// Reads the file with the kinds in `layout`; nothing when some column turned out otherwise, which is noted there.
std::optional<NodeTable> read_once(const std::string& path, const NodeTableOptions& options,
                                   std::optional<Layout>& layout) {
  CsvReader reader(path, options.delimiter);
  std::vector<std::string> header = read_header(reader, options.header);
  if (!layout) layout = make_layout(std::move(header), path, options);
  NodeTable table;
  table.file = path;
  table.id_column = layout->header[layout->id];
  std::vector<detail::ColumnBuilder> builders;
  for (const std::size_t column : layout->kept)
    builders.emplace_back(layout->header[column], layout->kinds[column], options.missing);

  while (reader.next()) {
    const auto fields = reader.fields();
    if (!add_node(fields[layout->id], reader.line(), options, table)) continue;
    for (std::size_t i = 0; i < builders.size(); ++i)
      builders[i].add(fields[layout->kept[i]], {path, reader.line(), 0});
  }
  bool is_good = true;
  for (std::size_t i = 0; i < builders.size(); ++i) {
    if (!builders[i].must_start_again()) continue;
    layout->kinds[layout->kept[i]] = detail::ColumnKind::categorical;
    is_good = false;
  }
  if (!is_good) return std::nullopt;
  for (detail::ColumnBuilder& builder : builders) table.columns.push_back(builder.finish());
  return table;
}

}  // namespace

bool Column::is_missing(std::size_t row) const { return is_numeric ? std::isnan(numbers[row]) : codes[row] < 0; }

std::string Column::text(std::size_t row) const {
  if (is_missing(row)) return "";
  return is_numeric ? fmt::format("{}", numbers[row]) : categories[static_cast<std::size_t>(codes[row])];
}

TextLocation NodeTable::where(std::size_t row) const { return {file, row < lines.size() ? lines[row] : 0, 0}; }

const Column* NodeTable::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const Column& NodeTable::at(std::string_view name) const {
  if (const Column* column = find(name)) return *column;
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(quote(column.name));
  throw DataError(fmt::format("{}: no column {}; the columns are {}", file, quote(name), fmt::join(known, ", ")));
}

NodeTable read_node_table(const std::string& path, const NodeTableOptions& options) {
  std::optional<Layout> layout;
  if (auto table = read_once(path, options, layout)) return std::move(*table);
  if (!std::filesystem::is_regular_file(path))
    throw DataError(fmt::format("{}: is no file that can be read twice, and a column changes from numbers to text; "
                                "say which columns are categorical",
                                path));
  auto table = read_once(path, options, layout);
  if (!table) throw DataError(fmt::format("{}: changed while it was read", path));
  return std::move(*table);
}

}  // namespace edgewise::io
