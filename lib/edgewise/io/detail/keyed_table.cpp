#include "edgewise/io/detail/keyed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "edgewise/core/error.hpp"
#include "edgewise/io/detail/column_builder.hpp"
#include "edgewise/io/memory_table.hpp"

namespace edgewise::io::detail {
namespace {

/// How the options apply to the columns of this file.
struct Layout {
  std::vector<std::string> header;
  std::size_t key = 0;
  std::vector<std::size_t> kept;  // columns of the file that become columns of the table
  std::vector<ColumnKind> kinds;  // of the columns of the file
  std::vector<bool> is_verbatim;
};

Layout make_layout(std::vector<std::string> header, const std::string& path, const KeyedTableOptions& options,
                   const KeyHandler& handler) {
  Layout layout;
  layout.header = std::move(header);
  const SpecialColumns special = handler.choose(layout.header);
  layout.key = special.key;
  const auto index = [&](const std::string& wanted) { return column_index(layout.header, wanted, path); };
  std::vector<bool> is_kept(layout.header.size(), options.columns.empty());
  for (const std::string& name : options.columns) is_kept[index(name)] = true;
  if (layout.key != kNoKey) is_kept[layout.key] = false;
  for (std::size_t i = 0; i < is_kept.size(); ++i)
    if (is_kept[i]) layout.kept.push_back(i);
  const std::unordered_set<std::string_view> texts(options.texts.names.begin(), options.texts.names.end());
  for (const std::string& name : layout.header)
    layout.kinds.push_back(options.texts.is_all || texts.contains(name) ? ColumnKind::categorical
                                                                        : ColumnKind::unknown);
  for (const std::string& name : options.categorical) layout.kinds[index(name)] = ColumnKind::categorical;
  layout.is_verbatim.resize(layout.header.size());
  for (const std::string& name : options.verbatim) layout.is_verbatim[index(name)] = true;
  if (special.verbatim) layout.is_verbatim[*special.verbatim] = true;
  for (std::size_t i = 0; i < layout.kinds.size(); ++i)
    if (layout.is_verbatim[i]) layout.kinds[i] = ColumnKind::verbatim;
  for (const std::string& name : options.numeric) {
    ColumnKind& kind = layout.kinds[index(name)];
    if (kind == ColumnKind::categorical || kind == ColumnKind::verbatim)
      throw UsageError(fmt::format("{}: column {} cannot be both numeric and categorical", path, quote(name)));
    kind = ColumnKind::numeric;
  }
  return layout;
}

/// Advances to the first data row and returns the column names.
std::vector<std::string> read_names(CsvReader& reader, const KeyedTableOptions& options) {
  std::vector<std::string> wanted = options.usual;
  for (const std::span<const std::string> named :
       {options.columns, options.categorical, options.verbatim, std::span(options.texts.names), options.numeric})
    wanted.insert(wanted.end(), named.begin(), named.end());
  return read_header(reader, wanted, options.expected);
}

constexpr std::uint64_t kFirstLine = 2;  // of the rows of a table in memory

/// For each column kept, that of a table in memory if its numbers are taken as they are, else nullptr.
std::vector<const MemoryColumn*> take_numbers(const Layout& layout, CsvReader& reader) {
  std::vector<const MemoryColumn*> numbers(layout.kept.size(), nullptr);
  if (reader.memory() == nullptr) return numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t place = layout.kept[i];
    const MemoryColumn& column = reader.memory()->columns[place];
    const ColumnKind kind = layout.kinds[place];
    if (!column.holds_numbers() || (kind != ColumnKind::unknown && kind != ColumnKind::numeric)) continue;
    numbers[i] = &column;
    if (place > 0) reader.leave_out(place);  // the first may say that a row is skipped
  }
  return numbers;
}

void add_number(const MemoryColumn& column, std::size_t row, const TextLocation& where, ColumnBuilder& builder) {
  MemoryColumn::Buffer buffer;
  if (const std::optional<float> value = column.number(row))
    builder.add_number(*value);
  else
    builder.add(column.text(row, buffer), where);
}

/// Reads the file with the kinds in `layout`. Returns nothing if a column turned out to be of another kind, which is
/// recorded in `layout`.
std::optional<std::vector<Column>> read_once(const FileList& files, const KeyedTableOptions& options,
                                             const KeyHandler& handler, std::optional<Layout>& layout) {
  CsvReader reader(files);
  std::vector<std::string> header = read_names(reader, options);
  if (!layout) layout = make_layout(std::move(header), files.text(), options, handler);
  const bool has_key = layout->key != kNoKey;
  handler.start(has_key ? layout->header[layout->key] : "");
  std::deque<ColumnBuilder> builders;
  const std::string nothing[] = {""};
  for (const std::size_t column : layout->kept) {
    builders.emplace_back(layout->header[column], layout->kinds[column],
                          layout->is_verbatim[column] ? std::span<const std::string>(nothing) : options.missing);
  }

  const std::vector<const MemoryColumn*> numbers = take_numbers(*layout, reader);
  std::optional<std::size_t> file;
  while (reader.next()) {
    if (file != reader.file()) handler.begin_file(*(file = reader.file()));
    const auto fields = reader.fields();
    if (handler.skips(fields.front())) continue;
    if (!handler.add(has_key ? fields[layout->key] : std::string_view(), reader.line())) continue;
    const TextLocation where = reader.where();
    for (std::size_t i = 0; i < builders.size(); ++i)
      if (numbers[i] != nullptr)
        add_number(*numbers[i], static_cast<std::size_t>(where.line - kFirstLine), where, builders[i]);
      else
        builders[i].add(fields[layout->kept[i]], where);
  }
  bool is_good = true;
  for (std::size_t i = 0; i < builders.size(); ++i) {
    if (!builders[i].must_start_again()) continue;
    layout->kinds[layout->kept[i]] = ColumnKind::categorical;
    is_good = false;
  }
  if (!is_good) return std::nullopt;
  std::vector<Column> columns;
  columns.reserve(builders.size());
  for (; !builders.empty(); builders.pop_front()) columns.push_back(builders.front().finish());
  return columns;
}

}  // namespace

std::vector<Column> read_keyed_table(const FileList& files, const KeyedTableOptions& options,
                                     const KeyHandler& handler) {
  std::optional<Layout> layout;
  if (auto columns = read_once(files, options, handler, layout)) return std::move(*columns);
  for (const std::string& path : files.files())
    if (!can_be_read_twice(path))
      throw DataError(fmt::format("{}: cannot be read twice, and a column changes from numbers to text; say which "
                                  "columns are categorical",
                                  path));
  auto columns = read_once(files, options, handler, layout);
  if (!columns) throw DataError(fmt::format("{}: changed while it was read", files));
  return std::move(*columns);
}

}  // namespace edgewise::io::detail
