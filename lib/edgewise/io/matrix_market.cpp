#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

using detail::FieldReader;
using detail::GraphBuilder;

struct MatrixKind {
  bool has_values = false;
  bool is_symmetric = false;
};

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view other : words)
    if (equals_ignoring_case(word, other)) return true;
  return false;
}

/// "%%MatrixMarket matrix coordinate real general".
MatrixKind read_matrix_kind(FieldReader& reader) {
  if (!reader.next() || !equals_ignoring_case(reader.fields()[0], "%%MatrixMarket") || reader.fields().size() != 5)
    throw DataError({reader.path(), 1, 0},
                    "expected the line \"%%MatrixMarket matrix coordinate real general\" or the like");
  const auto fields = reader.fields();
  if (!is_any_of(fields[1], {"matrix"}))
    reader.fail(fmt::format("expected a matrix, got {}", quote(fields[1])));
  if (!is_any_of(fields[2], {"coordinate"}))
    reader.fail(fmt::format("expected a sparse matrix (\"coordinate\"), got {}; in Python, "
                            "scipy.io.mmwrite(file, scipy.sparse.coo_matrix(a)) writes one",
                            quote(fields[2])));
  if (!is_any_of(fields[3], {"pattern", "integer", "real", "double"}))
    reader.fail(fmt::format("expected values of the kind pattern, integer or real, got {}", quote(fields[3])));
  if (!is_any_of(fields[4], {"general", "symmetric"}))
    reader.fail(fmt::format("expected a general or symmetric matrix, got {}", quote(fields[4])));
  return {.has_values = !is_any_of(fields[3], {"pattern"}), .is_symmetric = is_any_of(fields[4], {"symmetric"})};
}

struct MatrixSize {
  std::uint64_t nodes = 0;
  std::uint64_t entries = 0;
  std::uint64_t line = 0;
};

MatrixSize read_matrix_size(FieldReader& reader) {
  reader.set_comment('%');
  if (!reader.next()) throw DataError(fmt::format("{}: ends before the size of the matrix", reader.path()));
  const auto fields = reader.fields();
  if (fields.size() != 3) reader.fail("expected the numbers of rows, columns and entries");
  const std::uint64_t most = ~std::uint32_t{0};
  const std::uint64_t rows = reader.index(fields[0], "a number of rows", 0, most);
  const std::uint64_t columns = reader.index(fields[1], "a number of columns", 0, most);
  if (rows != columns)
    reader.fail(fmt::format("expected a square matrix, whose rows and columns are the same nodes, found {} rows and {} "
                            "columns; for edges between two kinds of nodes write an edge list",
                            rows, columns));
  return {rows, reader.index(fields[2], "a number of entries", 0, most), reader.line()};
}

/// Nodes take more memory than their number in the file: it must be in proportion.
void add_matrix_nodes(const MatrixSize& size, const FieldReader& reader, GraphBuilder& builder) {
  detail::check_declared_nodes(size.nodes, reader.bytes(), {reader.path(), size.line, 0});
  for (std::uint64_t node = 1; node <= size.nodes; ++node)
    builder.add_node(fmt::format_int(node).c_str(), size.line);
}

}  // namespace

GraphFile read_matrix_market(const std::string& path, const GraphFileOptions& options) {
  FieldReader reader(path);
  const MatrixKind kind = read_matrix_kind(reader);
  const MatrixSize size = read_matrix_size(reader);
  GraphBuilder builder(path, kind.is_symmetric ? graph::Direction::undirected : graph::Direction::directed);
  const std::size_t width = kind.has_values ? 3 : 2;
  std::uint64_t entries = 0;
  while (reader.next()) {
    const auto fields = reader.fields();
    if (fields.size() != width)
      reader.fail(fmt::format("expected a row, a column{}, found {}", kind.has_values ? " and a value" : "",
                              counted(fields.size(), "field")));
    if (++entries > size.entries)
      reader.fail(fmt::format("more than the {} that line {} states", counted(size.entries, "entry", "entries"),
                              size.line));
    const std::uint64_t row = reader.index(fields[0], "a row", 1, size.nodes);
    const std::uint64_t column = reader.index(fields[1], "a column", 1, size.nodes);
    builder.set_text_bytes(reader.bytes());
    builder.add_edge(static_cast<graph::Node>(row - 1), static_cast<graph::Node>(column - 1), reader.line());
    if (!kind.has_values) continue;
    require_number(fields[2], path, reader.line(), "value");
    builder.set_edge(entries - 1, "weight", fields[2], detail::ValueType::number);
  }
  if (entries < size.entries)
    throw DataError({path, size.line, 0},
                    fmt::format("states {}, but there are {}; is the file cut short?",
                                counted(size.entries, "entry", "entries"), entries));
  add_matrix_nodes(size, reader, builder);
  return builder.finish(detail::with_weight_by_position(options));
}

}  // namespace edgewise::io
