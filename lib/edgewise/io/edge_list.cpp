#include "edgewise/io/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "edgewise/io/detail/edge_list_check.hpp"
#include "edgewise/io/detail/edge_list_columns.hpp"
#include "edgewise/io/detail/edge_list_doubts.hpp"
#include "edgewise/io/detail/edge_list_rows.hpp"
#include "edgewise/io/detail/edge_list_sample.hpp"
#include "edgewise/io/detail/foreign_format.hpp"
#include "edgewise/io/detail/neo4j_header.hpp"
#include "edgewise/io/detail/node_kinds.hpp"

namespace edgewise::io {
namespace {

using Fields = std::span<const std::string_view>;

constexpr std::size_t kJudgedBytes = std::size_t{1} << 16;  // judged to see what the file is

/// The first row, the names of the columns if a comment before it holds them, and whether another row follows.
struct EdgeListBegin {
  std::vector<std::string> first;
  TextLocation where;
  std::vector<std::string> commented_header = {};
  CommentedRows commented_rows = {};
  bool has_second = false;
};

EdgeListBegin begin_edge_list(CsvReader& reader, const EdgeListOptions& options, detail::EdgeListSample& sample,
                              const TextStart& start) {
  if (const auto other = detail::find_foreign_format(start.text, options.source_column.empty()))
    throw DataError({reader.path(), other->line, 0},
                    fmt::format("expected an edge list, found {}: {}", other->name, other->advice));
  reader.set_comments(Comments::unless_fitting);  // the second row may decide whether the first is a header
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected edges", reader.path()));
  sample = detail::sample_edge_list(start.text, start.is_whole, reader.delimiter());
  if (reader.fields().size() < 2)
    throw DataError(reader.where(), fmt::format("expected at least 2 columns, source and target, found only {}{}",
                                                quote(reader.fields()[0]),
                                                detail::explain_single_field(reader.fields()[0])));
  EdgeListBegin begin{detail::without_neo4j_types({reader.fields().begin(), reader.fields().end()}), reader.where()};
  begin.commented_header = detail::take_commented_header(reader, sample, options, begin.commented_rows);
  begin.has_second = begin.commented_header.empty() && reader.next_in_file();
  return begin;
}

/// Throws DataError if the current record, the first of a file, names columns, which the first file does not.
void refuse_header(const CsvReader& reader, const detail::EdgeListSample& sample, const EdgeListOptions& options,
                   const std::string& first_file) {
  const std::vector<std::string> row(reader.fields().begin(), reader.fields().end());
  if (detail::is_header(row, Fields(), sample, options))
    throw DataError(reader.where(), fmt::format("expected an edge, found the names of columns ({}), which {} does not "
                                                "have: all files need a header, or none",
                                                list_of_columns(row), first_file));
}

/// Throws DataError if the file says that its nodes are of two kinds, and their names overlap; doubts it if the names
/// of the columns say so.
void check_kinds(EdgeListResult& result, const detail::GuessedColumns& columns,
                 const std::vector<std::string>& comments, const EdgeListOptions& options) {
  const EdgeListReport& report = result.report;
  const bool are_stated = detail::state_two_kinds(comments, report.rows);
  if (options.take && are_stated)
    throw DataError(fmt::format("{}: says that it has nodes of two kinds, which are told apart by their names: write "
                                "these with a prefix each, and leave out the line that says so", result.files));
  const bool are_named = report.has_header && detail::name_two_kinds(report.source_column, report.target_column);
  if (options.take || !(are_stated || are_named)) return;
  const std::optional<std::string> mixed = detail::mixed_kinds(result, columns.ends.first, columns.ends.second);
  if (mixed && are_stated) throw DataError(fmt::format("{}: {}", result.files, *mixed));
  if (mixed) result.report.doubts.push_back(*mixed);
}

/// Doubts a node with several edges whose name may mark an end that is missing.
void doubt_missing_ends(EdgeListResult& result) {
  for (const std::string_view word : {"-", "--", ".", "_", "none", "NONE", "nil", "unknown", "Unknown", "UNKNOWN",
                                      "missing", "Missing", "undefined", "n.a.", "(null)", "[null]"}) {
    const std::optional<graph::Node> node = result.names.find(word);
    if (!node) continue;
    const auto edges =
        std::ranges::count(result.edges.sources, *node) + std::ranges::count(result.edges.targets, *node);
    if (edges > 1)
      result.report.doubts.push_back(
          fmt::format("{} is a node at {} ends of edges: if it marks a missing end, leave these rows out", quote(word),
                      edges));
  }
}

EdgeListResult read_rows(CsvReader& reader, const FileList& files, const EdgeListOptions& options,
                         detail::EdgeListSample& sample, const TextStart& start) {
  const std::string path = reader.path();  // of the first file
  EdgeListBegin begin = begin_edge_list(reader, options, sample, start);
  const std::vector<std::string_view> first(begin.first.begin(), begin.first.end());
  const bool is_first_header =
      begin.commented_header.empty() &&
      (reader.memory() != nullptr ||
       detail::is_header(begin.first, begin.has_second ? reader.fields() : Fields(), sample, options));
  const bool has_header = is_first_header || !begin.commented_header.empty();
  if (begin.has_second) reader.hold();

  EdgeListResult result;
  result.files = files;
  if (options.known_nodes != nullptr) result.names = *options.known_nodes;
  std::vector<std::string> names = is_first_header ? header_names(first, begin.where)
                                   : has_header    ? std::move(begin.commented_header)
                                                   : numbered_columns(first.size());
  if (has_header) reader.keep_names(names);
  detail::EdgeColumns columns = detail::choose_columns(std::move(names), has_header, options, path);
  const detail::GuessedColumns guessed{first.size(), {columns.source, columns.target}, is_first_header,
                                       columns.are_ends_requested, columns.are_ends_named};
  detail::refuse_other_tables(path, sample, guessed);
  if (has_header && options.reads_types) columns.type = detail::find_types(columns);
  result.report = detail::describe(columns, has_header, reader.delimiter());
  const std::vector<std::string> comments = reader.comments();
  detail::EdgeListRows rows(path, std::move(columns), options, result);
  if (!is_first_header) rows.add(first, begin.where.line);
  for (std::size_t file = 0; reader.next();) {
    if (file != reader.file()) {
      if (!has_header) refuse_header(reader, sample, options, path);
      rows.begin_file(reader.path());
      file = reader.file();
    }
    if (!is_first_header && reader.looks_commented() && !rows.are_ends_known(reader.fields()))
      reader.drop_as_comment();
    else
      rows.add(reader.fields(), reader.line());
  }
  rows.finish();
  result.report.commented_rows = begin.commented_rows;
  if (begin.commented_rows.count == 0) result.report.commented_rows.first_line = reader.commented_rows().first_line;
  result.report.commented_rows.count += reader.commented_rows().count;
  if (options.source_kind.empty()) check_kinds(result, guessed, comments, options);
  if (options.take) return result;
  if (options.known_nodes == nullptr) doubt_missing_ends(result);
  if (!guessed.are_requested) detail::refuse_sizes(path, sample, result);
  for (std::string& doubt : detail::doubts_about(sample, guessed, result))
    result.report.doubts.push_back(std::move(doubt));
  if (options.preferred_source != result.report.source_column)
    std::ranges::copy(detail::swapped_kinds(result.report, options.source_kind, options.target_kind),
                      std::back_inserter(result.report.doubts));
  return result;
}

}  // namespace

EdgeListResult read_edge_list(const FileList& files, const EdgeListOptions& options) {
  CsvReader reader(files);
  const TextStart start = reader.start(kJudgedBytes);
  detail::EdgeListSample sample;
  try {
    return read_rows(reader, files, options, sample, start);
  } catch (const RaggedRecord& error) {
    if (reader.file() > 0) throw;
    throw RaggedRecord(error.what() + detail::explain_ragged_rows(sample));
  }
}

}  // namespace edgewise::io
