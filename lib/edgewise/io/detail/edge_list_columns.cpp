#include "edgewise/io/detail/edge_list_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "edgewise/io/detail/edge_list_header.hpp"
#include "edgewise/io/kind_columns.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::array<std::string_view, 2> kWeightNames = {"weight", "value"};

std::optional<std::size_t> find_usual(const std::vector<std::string>& names, std::string_view usual) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(names[i], usual)) return i;
  return std::nullopt;
}

bool names_a_wanted_column(const std::vector<std::string>& row, const EdgeListOptions& options) {
  std::vector<std::string> wanted = options.feature_columns;
  wanted.insert(wanted.end(), {options.source_column, options.target_column, options.weight_column,
                               options.preferred_source, options.preferred_target, options.preferred_weight});
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return !name.empty() && !parse_index(name) && std::find(row.begin(), row.end(), name) != row.end();
  });
}

std::optional<std::size_t> choose_weight(const std::vector<std::string>& names, bool has_header,
                                         const EdgeListOptions& options, const std::string& path) {
  if (has_header && !options.preferred_weight.empty()) {
    const auto preferred = std::ranges::find(names, options.preferred_weight);
    if (preferred != names.end()) return preferred - names.begin();
  }
  if (options.ignore_weights) return std::nullopt;
  if (!options.weight_column.empty()) return column_index(names, options.weight_column, path);
  if (!has_header) return std::nullopt;
  for (const std::string_view usual : kWeightNames) {
    const auto found = find_usual(names, usual);
    if (found && std::ranges::count(options.feature_columns, names[*found]) == 0) return found;
  }
  return std::nullopt;
}

void choose_requested_endpoints(const EdgeListOptions& options, const std::string& path, EdgeColumns& columns) {
  columns.source = column_index(columns.names, options.source_column, path);
  columns.target = column_index(columns.names, options.target_column, path);
  columns.are_ends_requested = true;
  if (columns.source == columns.target)
    throw UsageError(fmt::format("edge list: source and target are both column {}", quote(options.source_column)));
}

/// The pair of columns that the header names.
std::optional<Endpoints> named_endpoints(const std::vector<std::string>& names, const EdgeListOptions& options) {
  const auto source = std::ranges::find(names, options.preferred_source);
  const auto target = std::ranges::find(names, options.preferred_target);
  if (source != names.end() && target != names.end() && source != target)
    return Endpoints(source - names.begin(), target - names.begin());
  if (const auto kinds = find_kinds(names, options.source_kind, options.target_kind)) return kinds;
  return find_endpoints(names);
}

void choose_endpoints(bool has_header, const EdgeListOptions& options, const std::string& path, EdgeColumns& columns) {
  if (options.source_column.empty() != options.target_column.empty())
    throw UsageError("edge list: name both the source and the target column, or neither");
  if (!options.source_column.empty()) return choose_requested_endpoints(options, path, columns);
  if (const auto named = has_header ? named_endpoints(columns.names, options) : std::nullopt) {
    std::tie(columns.source, columns.target) = *named;
    columns.are_ends_named = true;
    return;
  }
  if (columns.names.size() < 3) return;
  std::size_t next = has_header && columns.names[0] == numbered_columns(1)[0] ? 1 : 0;  // after unnamed row numbers
  for (std::size_t* end : {&columns.source, &columns.target}) {
    while (columns.weight == next || std::ranges::count(columns.features, next) > 0) ++next;
    *end = std::min(next++, columns.names.size() - 1);
  }
}

}  // namespace

bool is_header(const std::vector<std::string>& first, std::span<const std::string_view> second,
               const EdgeListSample& sample, const EdgeListOptions& options) {
  return names_a_wanted_column(first, options) || names_columns(first, second, sample) ||
         find_kinds(first, options.source_kind, options.target_kind);
}

std::vector<std::string> take_commented_header(const CsvReader& reader, const EdgeListSample& sample,
                                               const EdgeListOptions& options, CommentedRows& rows) {
  const std::vector<std::string> row(reader.fields().begin(), reader.fields().end());
  const auto has_known_name = [&](const std::vector<std::string>& fields) {
    return find_endpoints(fields) || names_a_wanted_column(fields, options);
  };
  const bool may_have_header = !is_header(row, {}, sample, options);
  std::vector<std::string> header;
  for (const CommentedRecord& comment : reader.commented_records()) {
    const bool is_last = &comment == &reader.commented_records().back();
    if (is_last && may_have_header && comment.could_be_header &&
        is_header(comment.fields, reader.fields(), sample, options) &&
        (has_known_name(comment.fields) || !comment.may_be_prose))
      header = comment.fields;
    else if (!comment.may_be_prose && rows.count++ == 0)
      rows.first_line = comment.line;
  }
  return header;
}

EdgeColumns choose_columns(std::vector<std::string> names, bool has_header, const EdgeListOptions& options,
                           const std::string& path) {
  EdgeColumns columns;
  columns.names = std::move(names);
  columns.weight = choose_weight(columns.names, has_header, options, path);
  for (const std::string& name : options.feature_columns)
    columns.features.push_back(column_index(columns.names, name, path));
  choose_endpoints(has_header, options, path, columns);
  if (columns.weight == columns.source || columns.weight == columns.target) {
    if (!options.weight_column.empty())
      throw UsageError(fmt::format("edge list: the weight column {} is an endpoint", quote(options.weight_column)));
    columns.weight.reset();
  }
  return columns;
}

std::optional<std::size_t> find_types(const EdgeColumns& columns) {
  const std::optional<std::size_t> type = find_usual(columns.names, "type");
  const bool is_used = type == columns.source || type == columns.target || type == columns.weight ||
                       (type && std::ranges::count(columns.features, *type) > 0);
  return is_used ? std::nullopt : type;
}

EdgeListReport describe(const EdgeColumns& columns, bool has_header, Delimiter delimiter) {
  EdgeListReport report;
  report.has_header = has_header;
  report.delimiter = delimiter;
  report.source_column = columns.names[columns.source];
  report.target_column = columns.names[columns.target];
  if (columns.weight) report.weight_column = columns.names[*columns.weight];
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const bool is_used = i == columns.source || i == columns.target || i == columns.weight ||
                         std::find(columns.features.begin(), columns.features.end(), i) != columns.features.end();
    if (!is_used) report.unused_columns.push_back(columns.names[i]);
  }
  return report;
}

}  // namespace edgewise::io::detail
