#include "edgewise/io/detail/edge_list_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kFewRows = 5;  // too few to doubt anything

/// Whether a column counts 0, 1, 2, ... or 1, 2, 3, ...
bool counts(const ColumnSample& column) {
  const auto first = parse_index(column.values.front());
  if (!first || *first > 1) return false;
  for (std::size_t i = 0; i < column.values.size(); ++i)
    if (parse_index(column.values[i]) != *first + i) return false;
  return true;
}

bool is_date(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() < 10 || !(text[4] == '-' || text[4] == '/') || text[7] != text[4]) return false;
  return std::ranges::all_of(std::array{0, 1, 2, 3, 5, 6, 8, 9}, [&](std::size_t at) { return is_digit(text[at]); });
}

/// Dates, or seconds in order.
bool are_times(const ColumnSample& column) {
  constexpr double kEarliest = 1e8;
  if (std::ranges::all_of(column.values, is_date)) return true;
  double before = kEarliest;
  for (const std::string_view text : column.values) {
    double time = 0;
    if (parse_number(text, time) != NumberFault::none || time < before) return false;
    before = time;
  }
  return column.distinct.size() > column.values.size() / 2;
}

bool is_fraction(std::string_view text) {
  double number = 0;
  return parse_number(text, number) == NumberFault::none && number != std::floor(number);
}

void doubt_columns(const EdgeListSample& sample, const GuessedColumns& columns, std::vector<std::string>& doubts) {
  const SampleRows rows = body_of(sample, columns.has_header);
  const std::size_t width = rows[0].fields.size();
  for (const std::size_t end : {columns.ends.first, columns.ends.second}) {
    const ColumnSample column = column_of(rows, end);
    const std::string name = name_of(sample, columns, end);
    const auto fractions = static_cast<std::size_t>(std::ranges::count_if(column.values, is_fraction));
    if (end == 0 && width > 2 && counts(column) &&
        overlap(column_of(rows, 1), column_of(rows, 2)) > overlap(column, column_of(rows, 1)))
      doubts.push_back(fmt::format("column {} counts the rows, and is taken for a node: if it is none, use {}", name,
                                   flags_for(1, 2)));
    else if (are_times(column))
      doubts.push_back(
          fmt::format("column {} looks like times, and is taken for a node: say which columns the nodes "
                      "are in ({}, {})",
                      name, setting("data.source"), setting("data.target")));
    else if (2 * fractions > column.values.size())
      doubts.push_back(fmt::format(
          "column {} holds numbers such as {}, and is taken for a node: say which columns the "
          "nodes are in ({}, {})",
          name, *std::ranges::find_if(column.values, is_fraction), setting("data.source"), setting("data.target")));
  }
}

/// Features of a name in which those of columns may differ from those of nodes.
std::array<bool, 4> looks_of(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  return {std::ranges::any_of(name, is_digit), std::ranges::any_of(name, is_capital),
          std::ranges::any_of(name, is_small), name.find_first_of("@:/.") != std::string_view::npos};
}

/// Whether the names of the first row look different from nearly all others, in the same way.
bool looks_unlike(const EdgeListSample& sample, const Endpoints& ends) {
  const std::vector<std::string_view>& fields = sample.rows[0].fields;
  const auto source = looks_of(fields[ends.first]), target = looks_of(fields[ends.second]);
  std::array<std::size_t, 4> alike{};
  std::size_t names = 0;
  for (const SampleRow& row : body_of(sample, true))
    for (const std::size_t end : {ends.first, ends.second}) {
      const auto looks = looks_of(row.fields[end]);
      for (std::size_t i = 0; i < looks.size(); ++i) alike[i] += looks[i] == source[i] ? 1 : 0;
      ++names;
    }
  for (std::size_t i = 0; i < alike.size(); ++i)
    if (source[i] == target[i] && 20 * alike[i] <= names) return true;
  return false;
}

/// A first row that is no header but might be one: its nodes have no other edge, and other kinds of names.
void doubt_first_row(const EdgeListSample& sample, const GuessedColumns& columns, const EdgeListResult& result,
                     std::vector<std::string>& doubts) {
  const graph::EdgeList& edges = result.edges;
  const graph::Node source = edges.sources[0], target = edges.targets[0];
  const auto [first, second] = columns.ends;
  const std::vector<std::string_view>& fields = sample.rows[0].fields;
  if (result.names[source] != fields[first] || result.names[target] != fields[second]) return;  // it was left out
  const auto is_end = [&](graph::Node node) { return node == source || node == target; };
  if (std::any_of(edges.sources.begin() + 1, edges.sources.end(), is_end) ||
      std::any_of(edges.targets.begin() + 1, edges.targets.end(), is_end) || !looks_unlike(sample, columns.ends))
    return;
  doubts.push_back(fmt::format(
      "line {} is taken for an edge, although its names {} and {} are unlike all others: if it names the columns, use "
      "{} {} {} {}",
      sample.rows[0].line, quote(result.names[source]), quote(result.names[target]), setting("data.source"),
      quote(fields[first]), setting("data.target"), quote(fields[second])));
}

/// Files that were joined have their header in the middle, too.
void doubt_repeated_header(const EdgeListResult& result, std::vector<std::string>& doubts) {
  const auto source = result.names.find(result.report.source_column);
  const auto target = result.names.find(result.report.target_column);
  const graph::EdgeList& edges = result.edges;
  if (is_number(result.report.source_column)) return;  // as pandas names columns
  for (graph::EdgeIndex e = 0; source && target && e < edges.size(); ++e)
    if (edges.sources[e] == *source && edges.targets[e] == *target) {
      doubts.push_back(fmt::format("{} repeats the header, and is taken for an edge", result.place_of(e)));
      return;
    }
}

/// In a tree, the number of edges is the name of a node, too.
void doubt_sizes(const EdgeListSample& sample, const EdgeListResult& result, std::vector<std::string>& doubts) {
  constexpr std::size_t kMany = 10;
  if (!may_give_sizes(sample, result)) return;
  const graph::EdgeList& edges = result.edges;
  if (edges.size() <= kMany && occurs_after_first(edges, edges.sources[0])) return;
  doubts.push_back(fmt::format("line {} is taken for an edge, but may give the numbers of nodes and edges, since {} "
                               "rows follow: leave it out if so",
                               sample.rows[0].line, edges.size() - 1));
}

bool are_equal(const std::vector<graph::Node>& nodes) {
  return std::ranges::all_of(nodes, [&](graph::Node node) { return node == nodes.front(); });
}

void doubt_ends(const EdgeListResult& result, std::vector<std::string>& doubts) {
  const graph::EdgeList& edges = result.edges;
  for (const auto& [nodes, column] : {std::pair(&edges.sources, &result.report.source_column),
                                      std::pair(&edges.targets, &result.report.target_column)})
    if (are_equal(*nodes)) {
      doubts.push_back(fmt::format(
          "{} is {} in every row: if it is no node, say which columns the nodes are in "
          "({}, {})",
          quote(*column), quote(result.names[nodes->front()]), setting("data.source"), setting("data.target")));
      return;
    }
}

}  // namespace

std::vector<std::string> doubts_about(const EdgeListSample& sample, const GuessedColumns& columns,
                                      const EdgeListResult& result) {
  std::vector<std::string> doubts;
  if (columns.are_requested || !can_be_judged(sample, columns) || result.edges.size() < kFewRows) return doubts;
  if (!columns.are_named) doubt_columns(sample, columns, doubts);
  if (!columns.has_header) doubt_first_row(sample, columns, result, doubts);
  if (doubts.empty()) doubt_sizes(sample, result, doubts);
  if (columns.has_header) doubt_repeated_header(result, doubts);
  if (doubts.empty()) doubt_ends(result, doubts);
  return doubts;
}

}  // namespace edgewise::io::detail
