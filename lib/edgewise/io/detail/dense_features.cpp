#include "edgewise/io/detail/dense_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/detail/edge_list_sample.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/similar_node.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kMostSparse = 3;  // columns of a sparse table

/// What a sparse table may call its columns.
constexpr std::string_view kFeatureNames[] = {"feature", "feature_id", "featureid", "feature_index", "feat", "feat_id",
                                              "index",   "col",        "column",    "word",          "word_id", "term",
                                              "token",   "attribute",  "attr"};
constexpr std::string_view kValueNames[] = {"value", "val", "count", "tf", "tfidf", "tf-idf"};

bool is_usual_name(std::span<const std::string_view> usual, const std::string& name) {
  return std::ranges::any_of(usual, [&](std::string_view one) { return equals_ignoring_case(one, name); });
}

bool is_missing_text(std::string_view text) { return std::ranges::count(default_missing_texts(), text) > 0; }

/// Whether the fields name columns: nodes come first and numbers follow in the rows.
bool are_names(std::span<const std::string_view> fields) {
  return fields.front().empty() || std::any_of(fields.begin() + 1, fields.end(), [](std::string_view field) {
           return !is_missing_text(field) && !is_number(field);
         });
}

/// Whether the fields are 0, 1, 2, ... or 1, 2, 3, ..., as programs name columns.
bool count_columns(std::span<const std::string_view> fields) {
  const std::optional<std::uint64_t> first = parse_index(fields.front());
  if (!first || *first > 1) return false;
  for (std::size_t i = 1; i < fields.size(); ++i)
    if (parse_index(fields[i]) != *first + i) return false;
  return true;
}

/// The number of rows if the first row of a file gives that and the number of features, as word2vec writes it.
std::optional<std::uint64_t> stated_rows(SampleRows rows) {
  if (rows.size() < 2 || rows[0].fields.size() != 2 || rows[1].fields.size() == 2) return std::nullopt;
  const std::optional<std::uint64_t> features = parse_index(rows[0].fields[1]);
  return features && *features + 1 == rows[1].fields.size() ? parse_index(rows[0].fields[0]) : std::nullopt;
}

/// Whether a table of two or three columns is sparse, by its rows: by features that are no positions it is not, by
/// nodes with several rows it is. Nothing if it could be either.
std::optional<bool> look_sparse(SampleRows rows) {
  std::unordered_set<std::string_view> nodes, features;
  bool has_repeated = false;
  for (const SampleRow& row : rows) {
    if (row.fields.size() < 2) continue;
    if (!parse_index(row.fields[1]) && !is_missing_text(row.fields[1])) return false;
    has_repeated = !nodes.insert(row.fields[0]).second || has_repeated;
    features.insert(row.fields[1]);
  }
  if (has_repeated) return true;
  const bool has_ones = !rows.empty() && std::ranges::all_of(rows, [](const SampleRow& row) {
    return row.fields.size() == kMostSparse && row.fields[2] == "1";
  });
  if (has_ones || (rows.size() > 1 && features.size() == 1)) return true;  // a column of equal numbers says nothing
  return std::nullopt;
}

[[noreturn]] void refuse_unclear(const CsvReader& reader) {
  const bool has_values = reader.fields().size() == kMostSparse;
  throw DataError(
      reader.where(),
      fmt::format("this may be a list of features ({}) or a table with a column for each ({}): say which "
                  "with a header above it",
                  has_values ? "node,feature,value" : "node,feature", has_values ? "node,x1,x2" : "node,x1"));
}

FeatureLayout dense_layout(const CsvReader& reader, bool has_header) {
  FeatureLayout layout{.is_dense = true};
  for (const CommentedRecord& comment : reader.commented_records())
    if (!has_header && comment.could_be_header) layout.header = comment.fields;
  layout.is_header_commented = !layout.header.empty();
  if (has_header) layout.header = header_names(reader.fields(), reader.where());
  return layout;
}

/// The columns of a dense table, and what is known of its rows.
class DenseRows {
 public:
  DenseRows(const CsvReader& reader, const std::vector<std::string>& header, const graph::NodeNames& nodes,
            const std::vector<std::string>& missing)
      : reader_(reader),
        nodes_(nodes),
        missing_(missing),
        node_(header.empty() ? 0 : usual_id_column(header).value_or(0)),
        line_of_(nodes.size(), 0) {
    const std::size_t fields = header.empty() ? reader.fields().size() : header.size();
    for (std::size_t i = 0; i < fields; ++i) {
      if (i == node_) continue;
      Column& column = columns_.emplace_back();
      column.name = header.empty() ? fmt::format("feature {}", columns_.size()) : header[i];
      column.numbers.assign(nodes.size(), std::numeric_limits<float>::quiet_NaN());
    }
  }

  void add() {
    const std::span<const std::string_view> fields = reader_.fields();
    const graph::Node node = node_of(fields[node_]);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view text = fields[i < node_ ? i : i + 1];
      if (std::ranges::count(missing_, text) == 0)
        columns_[i].numbers[node] = number(text, columns_[i].name);
      else
        ++columns_[i].missing;
    }
    ++rows_;
  }

  std::uint64_t size() const { return rows_; }

  DenseFeatures finish() {
    DenseFeatures table;
    table.without_row = nodes_.size() - rows_;
    for (Column& column : columns_) column.missing += table.without_row;
    table.columns = std::move(columns_);
    return table;
  }

 private:
  graph::Node node_of(std::string_view name) {
    const std::optional<graph::Node> node = nodes_.find(name);
    if (!node)
      throw DataError(reader_.where(),
                      fmt::format("column {}: unknown node {}: each row of a table of features gives the node, one of "
                                  "the {} that there are, and then its numbers{}",
                                  node_ + 1, quote(name), nodes_.size(), similar_node_hint(nodes_, name)));
    if (line_of_[*node] != 0)
      throw DataError(reader_.where(), fmt::format("node {} is in line {} already; expected one row per node",
                                                   quote(name), line_of_[*node]));
    line_of_[*node] = reader_.line();
    return *node;
  }

  float number(std::string_view text, const std::string& column) const {
    if (is_number(text)) return require_number(text, reader_.where(), column);
    throw DataError(reader_.where(), fmt::format("column {}: expected a number, got {}; a table with texts is one of "
                                                 "nodes, with a header ({})",
                                                 quote(column), quote(text), setting("data.nodes")));
  }

  const CsvReader& reader_;
  const graph::NodeNames& nodes_;
  const std::vector<std::string>& missing_;
  std::size_t node_;
  std::vector<std::uint64_t> line_of_;
  std::vector<Column> columns_;
  std::uint64_t rows_ = 0;
};

}  // namespace

FeatureLayout layout_of(const CsvReader& reader, const TextStart& start) {
  const EdgeListSample sample = sample_edge_list(start.text, start.is_whole, reader.delimiter());
  if (const std::optional<std::uint64_t> rows = stated_rows(sample.rows)) return {.is_dense = true, .rows = rows};
  const std::span<const std::string_view> fields = reader.fields();
  if (fields.size() < 2) return {};  // which is refused
  const bool has_header = are_names(fields);
  const FeatureLayout dense = dense_layout(reader, has_header);
  const auto has = [&](std::span<const std::string_view> usual) {
    return std::ranges::any_of(dense.header, [&](const std::string& name) { return is_usual_name(usual, name); });
  };
  const bool is_wide = fields.size() > kMostSparse;
  if (has(kFeatureNames) && (!is_wide || has(kValueNames))) return {};
  if (is_wide && !has_header && count_columns(fields))
    throw DataError(reader.where(),
                    "this line counts the columns: name the one with the nodes, which comes first, as in "
                    "node,0,1,2");
  if (is_wide) return dense;
  const std::optional<bool> is_sparse = look_sparse(body_of(sample, has_header));
  if (!is_sparse && dense.header.empty()) refuse_unclear(reader);
  return is_sparse.value_or(false) ? FeatureLayout{} : dense;
}

DenseFeatures read_dense_rows(CsvReader& reader, const FeatureLayout& layout, const graph::NodeNames& nodes,
                              const std::vector<std::string>& missing) {
  if (layout.rows) reader.forget_width();
  const bool is_row = layout.header.empty() || layout.is_header_commented;
  if (is_row && !layout.rows) reader.hold();
  if (!reader.next())
    throw DataError(fmt::format("{}: holds no rows, expected a node and its features in each", reader.path()));
  DenseRows rows(reader, layout.header, nodes, missing);
  do rows.add();
  while (reader.next());
  if (layout.rows && *layout.rows != rows.size())
    throw DataError(fmt::format("{}: says that it has {} rows, but holds {}; was it cut?", reader.path(), *layout.rows,
                                rows.size()));
  return rows.finish();
}

}  // namespace edgewise::io::detail
