#include "edgewise/io/feature_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/dense_features.hpp"
#include "edgewise/io/detail/sparse_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

/// Finds "name=123" in a comment.
std::optional<std::uint64_t> stated(const std::vector<std::string>& comments, const std::string& name) {
  for (const std::string& comment : comments) {
    const std::size_t found = (" " + comment).find(" " + name + "=");
    if (found == std::string::npos) continue;
    const std::size_t begin = found + name.size() + 1;
    return parse_index(std::string_view(comment).substr(begin, comment.find_first_of(" ,;\t", begin) - begin));
  }
  return std::nullopt;
}

struct EntryColumns {
  std::vector<std::string> names = {};
  std::size_t node = 0;
  std::size_t feature = 1;
  std::optional<std::size_t> value = {};
};

/// Reads the header, if there is one, which may be commented.
EntryColumns read_columns(CsvReader& reader) {
  const auto fields = reader.fields();
  if (fields.size() < 2)
    throw DataError(reader.where(), "expected the columns node, feature and value, found only one column");
  EntryColumns columns;
  const auto names_columns = [](const CommentedRecord& comment) {
    return std::ranges::any_of(comment.fields, [](const std::string& name) {
      return equals_ignoring_case(name, "node") || equals_ignoring_case(name, "feature");
    });
  };
  const bool has_header =
      !parse_index(fields[1]).has_value() && std::ranges::none_of(reader.commented_records(), names_columns);
  if (has_header)
    columns.names = header_names(fields, reader.where());
  else
    columns.names = numbered_columns(fields.size());
  for (const CommentedRecord& comment : reader.commented_records()) {
    if (parse_index(comment.fields[1])) throw DataError({reader.path(), comment.line, 0}, kRowLikeComment);
    if (!has_header && comment.could_be_header) columns.names = comment.fields;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (equals_ignoring_case(columns.names[i], "node")) columns.node = i;
    if (equals_ignoring_case(columns.names[i], "feature")) columns.feature = i;
    if (equals_ignoring_case(columns.names[i], "value")) columns.value = i;
  }
  if (!has_header) reader.hold();
  if (!columns.value && fields.size() > 2) columns.value = 2;
  if (columns.node == columns.feature || columns.value == columns.node || columns.value == columns.feature)
    throw DataError(reader.where(), "expected the columns node, feature and value");
  return columns;
}

/// Reads a table of which the current record is the first.
SparseFeatures read_sparse_rows(CsvReader& reader, const SparseFeaturesOptions& options) {
  const std::string& path = reader.path();
  const EntryColumns columns = read_columns(reader);
  detail::SparseBuilder builder(path, options, detail::SparseBuilder::Repeated::refuse);
  if (const auto nodes = stated(reader.comments(), "nodes")) builder.number_nodes(*nodes, {path, 1, 0});
  if (const auto features = stated(reader.comments(), "features")) builder.limit_features(*features, {path, 1, 0});
  TextLocation where{path, 0, 0};
  while (reader.next()) {
    const auto fields = reader.fields();
    where.line = reader.line();
    const auto feature = parse_index(fields[columns.feature]);
    if (!feature)
      throw DataError(where, fmt::format("column {}: expected a feature's number from 0, got {}",
                                         quote(columns.names[columns.feature]), quote(fields[columns.feature])));
    const float value =
        columns.value ? require_number(fields[*columns.value], where, columns.names[*columns.value]) : 1.0f;
    builder.add(builder.node(fields[columns.node], where), *feature, value, where);
  }
  const auto nonzeros = stated(reader.comments(), "nnz");
  if (nonzeros && *nonzeros != builder.size())
    throw DataError(fmt::format("{}: says nnz={}, but holds {} values; was it cut?", path, *nonzeros, builder.size()));
  return builder.finish();
}

}  // namespace

SparseFeatures read_sparse_features(const std::string& path, const SparseFeaturesOptions& options) {
  CsvReader reader(path);
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected node,feature,value", path));
  return read_sparse_rows(reader, options);
}

FeatureTable read_feature_table(const std::string& path, const SparseFeaturesOptions& options,
                                const std::vector<std::string>& missing) {
  constexpr std::size_t kStartBytes = std::size_t{1} << 18;
  CsvReader reader(path);
  const TextStart start = reader.start(kStartBytes);
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected a node and its features", path));
  if (options.features == 0 && !stated(reader.comments(), "nodes")) {
    const detail::FeatureLayout layout = detail::layout_of(reader, start);
    if (layout.is_dense) {
      detail::DenseFeatures dense = detail::read_dense_rows(reader, layout, *options.known_nodes, missing);
      return {.sparse = {}, .columns = std::move(dense.columns), .without_row = dense.without_row};
    }
  }
  return {.sparse = read_sparse_rows(reader, options), .columns = {}};
}

}  // namespace edgewise::io
