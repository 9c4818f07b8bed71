#include "edgewise/io/detail/edge_list_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

using Texts = std::unordered_set<std::string_view>;

constexpr const char* kOneEdgePerRow = "expected one edge per row, source and target first";

bool are_numbers(std::span<const std::string_view> fields) { return std::ranges::all_of(fields, is_number); }

[[noreturn]] void refuse(const std::string& path, std::uint64_t line, const std::string& what) {
  throw DataError(TextLocation{path, line, 0}, what);
}

/// The numbers of a square table, without the first column if that names the rows.
std::vector<std::vector<float>> square_of(SampleRows rows, std::size_t first_column) {
  std::vector<std::vector<float>> numbers;
  for (const SampleRow& row : rows) {
    const std::span cells = std::span(row.fields).subspan(std::min(first_column, row.fields.size()));
    if (cells.size() != rows.size() || !are_numbers(cells)) return {};
    numbers.emplace_back();
    for (const std::string_view cell : cells) {
      float number = 0;
      parse_number(cell, number);
      numbers.back().push_back(number);
    }
  }
  return numbers;
}

/// Whether a square table of numbers is a matrix rather than edges that happen to have as many columns as rows.
bool is_adjacency(const std::vector<std::vector<float>>& square) {
  constexpr std::size_t kSmallest = 3, kWide = 8;
  const std::size_t size = square.size();
  if (size < kSmallest) return false;
  bool is_symmetric = true, is_binary = true, has_empty_diagonal = true;
  for (std::size_t i = 0; i < size; ++i) {
    has_empty_diagonal = has_empty_diagonal && square[i][i] == 0;
    for (std::size_t j = 0; j < size; ++j) {
      is_symmetric = is_symmetric && square[i][j] == square[j][i];
      is_binary = is_binary && (square[i][j] == 0 || square[i][j] == 1);
    }
  }
  return size >= kWide || is_symmetric || (is_binary && size > kSmallest) || (is_binary && has_empty_diagonal);
}

/// Whether the rows have the names of the columns after the first, in the same order.
bool names_its_rows(const EdgeListSample& sample) {
  const std::vector<std::string_view>& header = sample.rows.front().fields;
  const SampleRows rows = body_of(sample, true);
  const std::size_t names = header.size() - 1;
  const std::size_t fewest = is_number(header.back()) ? 3 : 2;  // rows and columns are numbered in edge lists, too
  if (rows.size() < fewest || names < rows.size() || (sample.is_whole && names > rows.size())) return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].fields[0] != header[i + 1] || !are_numbers(std::span(rows[i].fields).subspan(1))) return false;
  return true;
}

void refuse_matrix(const std::string& path, const EdgeListSample& sample, const GuessedColumns& columns) {
  constexpr std::size_t kWide = 20;  // more columns than anyone leaves without names
  constexpr const char* kMatrix =
      "this looks like an adjacency matrix; expected one edge per row (networkx.from_pandas_adjacency and "
      "networkx.write_edgelist convert one)";
  const SampleRows rows = body_of(sample, columns.has_header);
  const SampleRows all = sample.rows;
  if (names_its_rows(sample)) refuse(path, all.front().line, kMatrix);
  if (columns.are_named) return;
  const bool is_square = sample.is_whole && (is_adjacency(square_of(rows, 0)) || is_adjacency(square_of(rows, 1)) ||
                                             is_adjacency(square_of(all, 0)));
  const auto is_wide = [&](const SampleRow& row) { return row.fields.size() >= kWide && are_numbers(row.fields); };
  const bool is_wide_table = !columns.has_header && rows.size() > 2 && std::ranges::all_of(rows, is_wide);
  if (is_square || is_wide_table) refuse(path, all.front().line, kMatrix);
}

/// Two long rows: all sources, then all targets.
void refuse_edge_index(const std::string& path, const EdgeListSample& sample) {
  constexpr std::size_t kFewest = 5;
  const SampleRows rows = sample.rows;
  if (!sample.is_whole || rows.size() != 2 || rows[0].fields.size() < kFewest ||
      rows[0].fields.size() != rows[1].fields.size() || !are_numbers(rows[0].fields) || !are_numbers(rows[1].fields))
    return;
  refuse(path, rows[0].line,
         fmt::format("this looks like an edge_index, a row of sources and a row of targets; {} (edge_index.t())",
                     kOneEdgePerRow));
}

/// Whether row i lists the neighbours of node i (from 1), each edge in both of its rows, as METIS does.
bool lists_neighbours(SampleRows rows) {
  std::vector<std::unordered_set<std::uint64_t>> neighbours;
  for (const SampleRow& row : rows) {
    neighbours.emplace_back();
    for (const std::string_view field : row.fields) {
      const auto node = parse_index(field);
      if (!node || *node < 1 || *node > rows.size()) return false;
      neighbours.back().insert(*node);
    }
  }
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    for (const std::uint64_t node : neighbours[i])
      if (!neighbours[node - 1].contains(i + 1)) return false;
  return true;
}

bool is_metis(const EdgeListSample& sample) {
  if (sample.rows.size() < 3) return false;
  const std::vector<std::string_view>& first = sample.rows[0].fields;
  if (first.size() < 2 || first.size() > 4) return false;
  const auto nodes = parse_index(first[0]), edges = parse_index(first[1]);
  const SampleRows rows = body_of(sample, true);
  if (!nodes || !edges) return false;
  if (!sample.is_whole) return *nodes >= rows.size() && !have_width(rows, rows[0].fields.size());
  if (*nodes < rows.size() || *nodes > rows.size() + *nodes / 4) return false;  // blank rows: nodes without neighbours
  std::size_t fields = 0;
  for (const SampleRow& row : rows) fields += row.fields.size();
  const bool has_format = first.size() > 2 && !have_width(rows, rows[0].fields.size());
  return has_format || (fields == 2 * *edges && lists_neighbours(rows));
}

std::string metis() {
  return fmt::format(
      "a METIS file (the numbers of nodes and edges, then the neighbours of each node); give it as {}, in a file "
      "that ends in .metis",
      setting("data.graph"));
}

std::string adjacency_list() {
  return fmt::format(
      "an adjacency list (in each row a node, then its neighbours); give it as {}, in a file that ends in .adjlist",
      setting("data.graph"));
}

/// The share of names after the first field of a row that begin a row themselves.
double share_of_row_names(SampleRows rows) {
  Texts firsts;
  for (const SampleRow& row : rows) firsts.insert(row.fields[0]);
  std::size_t names = 0, known = 0;
  for (const SampleRow& row : rows)
    for (std::size_t i = 1; i < row.fields.size(); ++i, ++names) known += firsts.contains(row.fields[i]) ? 1 : 0;
  return names == 0 ? 0 : static_cast<double>(known) / static_cast<double>(names);
}

/// Whether the second fields are relations, as in SIF: a few texts, and never a node. A row of a node alone has none.
bool lists_relations(SampleRows rows) {
  Texts relations, nodes;
  for (const SampleRow& row : rows) {
    if (row.fields.size() == 2) return false;
    for (std::size_t i = 0; i < row.fields.size(); ++i) (i == 1 ? relations : nodes).insert(row.fields[i]);
  }
  return 2 * relations.size() <= rows.size() && std::ranges::none_of(relations, [&](std::string_view relation) {
    return nodes.contains(relation) || is_number(relation);
  });
}

bool begin_differently(SampleRows rows) { return column_of(rows, 0).differs_everywhere(); }

void refuse_adjacency_list(const std::string& path, const EdgeListSample& sample, const GuessedColumns& columns) {
  const SampleRows rows = body_of(sample, columns.has_header);
  const std::size_t width = rows[0].fields.size();
  if (columns.has_header || !sample.is_whole || width < 3 || !begin_differently(rows)) return;
  for (std::size_t i = 2; i < width; ++i)
    if (column_of(rows, i).is_numeric && !column_of(rows, 0).is_numeric) return;
  std::unordered_map<std::string_view, Texts> neighbours;
  for (const SampleRow& row : rows) neighbours[row.fields[0]] = Texts(row.fields.begin() + 1, row.fields.end());
  for (const auto& [node, others] : neighbours)
    for (const std::string_view other : others)
      if (!neighbours.contains(other) || !neighbours[other].contains(node)) return;
  refuse(path, rows[0].line, fmt::format("this looks like {}", adjacency_list()));
}

/// Whether the edges run between columns a and b rather than between the ends, of which `other` is the one left out.
bool run_between(const ColumnSample& a, const ColumnSample& b, const ColumnSample& other) {
  constexpr double kOverlap = 0.2, kNumericOverlap = 0.4;
  if (overlap(a, b) < kOverlap) return false;
  if (!a.is_numeric && !b.is_numeric) return true;
  if (overlap(a, b) < kNumericOverlap) return false;
  // Small numbers are alike although they count different things: the other column must be odd in itself.
  const bool numbers_rows = other.is_numeric && other.differs_everywhere();
  const bool is_relation = !other.is_numeric && 3 * other.distinct.size() <= other.values.size() &&
                           other.distinct.size() <= std::min(a.distinct.size(), b.distinct.size());
  return shared_values(a, b) > 1 && other.values.size() >= 3 && (numbers_rows || is_relation);
}

void refuse_other_columns(const std::string& path, const EdgeListSample& sample, const GuessedColumns& columns) {
  constexpr std::size_t kMostColumns = 8;
  const SampleRows rows = body_of(sample, columns.has_header);
  const std::size_t width = std::min(rows[0].fields.size(), kMostColumns);
  const auto [source, target] = columns.ends;
  if (rows.size() < 2 || source >= width || target >= width) return;
  std::vector<ColumnSample> of;
  for (std::size_t i = 0; i < width; ++i) of.push_back(column_of(rows, i));
  const double own = overlap(of[source], of[target]);
  for (std::size_t other = 0; other < width; ++other) {
    const bool is_row_number = other == 0 && columns.has_header && sample.rows.front().fields[0].empty();
    if (other == source || other == target || is_row_number) continue;
    for (const auto& [end, left_out] : {std::pair(source, target), std::pair(target, source)}) {
      if (overlap(of[end], of[other]) < 10 * own || !run_between(of[end], of[other], of[left_out])) continue;
      const auto [first, second] = std::minmax(end, other);
      const bool is_between = first < left_out && left_out < second;
      const std::string use = !is_between ? ""
                              : of[left_out].is_numeric
                                  ? fmt::format(" {} {}", setting("data.weight"), left_out + 1)
                                  : fmt::format(" {} {}", setting("data.edge_features"), left_out + 1);
      refuse(path, rows[0].line,
             fmt::format("columns {} and {} have names in common, columns {} and {} have none or few: the edges seem "
                         "to run between the former{}; use {}{} (or {}, if it is as it should be)",
                         name_of(sample, columns, first), name_of(sample, columns, second),
                         name_of(sample, columns, std::min(source, target)),
                         name_of(sample, columns, std::max(source, target)),
                         is_between && !of[left_out].is_numeric ? ", as in SIF and triples" : "",
                         flags_for(first, second), use, flags_for(source, target)));
    }
  }
}

}  // namespace

bool can_be_judged(const EdgeListSample& sample, const GuessedColumns& columns) {
  return !body_of(sample, columns.has_header).empty() && have_width(sample.rows, columns.count);
}

std::string name_of(const EdgeListSample& sample, const GuessedColumns& columns, std::size_t column) {
  const bool has_name = columns.has_header && !sample.rows.front().fields[column].empty();
  return has_name ? quote(sample.rows.front().fields[column]) : fmt::format("{}", column + 1);
}

std::string flags_for(std::size_t source, std::size_t target) {
  return fmt::format("{} {} {} {}", setting("data.source"), source + 1, setting("data.target"), target + 1);
}

bool occurs_after_first(const graph::EdgeList& edges, graph::Node node) {
  return std::find(edges.sources.begin() + 1, edges.sources.end(), node) != edges.sources.end() ||
         std::find(edges.targets.begin() + 1, edges.targets.end(), node) != edges.targets.end();
}

bool may_give_sizes(const EdgeListSample& sample, const EdgeListResult& result) {
  const graph::EdgeList& edges = result.edges;
  if (result.report.has_header || edges.size() < 2 || sample.rows.empty()) return false;
  const std::vector<std::string_view>& first = sample.rows[0].fields;
  if (first.size() < 2 || first.size() > 3) return false;
  const auto rows = parse_index(first[0]), columns = parse_index(first[1]), count = parse_index(first.back());
  if (!rows || !columns || !count || *count != edges.size() - 1) return false;
  const std::uint64_t largest = first.size() == 3 ? std::max(*rows, *columns) : *rows;
  for (graph::EdgeIndex edge = 1; edge < edges.size(); ++edge)
    for (const graph::Node node : {edges.sources[edge], edges.targets[edge]}) {
      const auto number = parse_index(result.names[node]);
      if (!number || *number > largest) return false;
    }
  return true;
}

void refuse_other_tables(const std::string& path, const EdgeListSample& sample, const GuessedColumns& columns) {
  if (columns.are_requested || !can_be_judged(sample, columns)) return;
  refuse_matrix(path, sample, columns);
  if (columns.are_named) return;
  refuse_edge_index(path, sample);
  if (is_metis(sample)) refuse(path, sample.rows[0].line, fmt::format("this looks like {}", metis()));
  refuse_adjacency_list(path, sample, columns);
  refuse_other_columns(path, sample, columns);
}

std::string explain_ragged_rows(const EdgeListSample& sample) {
  const SampleRows rows = sample.rows;
  if (rows.size() < 2 || have_width(rows, rows[0].fields.size())) return "";
  const std::vector<std::string_view>& first = rows[0].fields;
  const SampleRows others = body_of(sample, true);
  if (is_metis(sample)) return fmt::format("; this looks like {}", metis());
  if (have_width(others, first.size() + 1) && std::ranges::none_of(first, is_number))
    return "; the header has one name less than the rows have fields, as R writes it for row names: use "
           "write.csv(..., row.names = FALSE)";
  if (have_width(others, others[0].fields.size()) && first.size() < 3 && are_numbers(first))
    return "; the first line seems to hold the numbers of nodes and edges: leave it out";
  if (lists_relations(rows))
    return fmt::format(
        "; this looks like SIF (a node, a relation, then its neighbours); give it as {}, in a file that ends "
        "in .sif",
        setting("data.graph"));
  constexpr double kMost = 0.5;
  if (others.size() > 1 && begin_differently(rows) && share_of_row_names(rows) > kMost)
    return fmt::format("; this looks like {}", adjacency_list());
  std::unordered_set<std::size_t> widths;
  for (const SampleRow& row : rows) widths.insert(row.fields.size());
  return widths.size() > 2 ? fmt::format("; this may be {}", adjacency_list()) : "";
}

std::string explain_single_field(std::string_view field) {
  for (const std::string_view sign : {":", "~", "^"}) {
    const std::size_t at = field.find(sign);
    if (at != std::string_view::npos && at > 0 && at + 1 < field.size())
      return fmt::format("; fields may be separated by commas, tabs, semicolons, vertical bars or blanks, not by {}",
                         quote(sign));
  }
  if (parse_index(field)) return "; if this line holds the number of nodes or edges, leave it out";
  return "";
}

void refuse_sizes(const std::string& path, const EdgeListSample& sample, const EdgeListResult& result) {
  if (!may_give_sizes(sample, result)) return;
  const std::vector<std::string_view>& first = sample.rows[0].fields;
  if (first.size() == 2 && occurs_after_first(result.edges, result.edges.targets[0])) return;  // a doubt
  refuse(path, sample.rows[0].line,
         fmt::format("this line gives the numbers of nodes and edges ({}) rather than an edge, since {} rows follow: "
                     "leave it out",
                     fmt::join(first, " "), first.back()));
}

}  // namespace edgewise::io::detail
