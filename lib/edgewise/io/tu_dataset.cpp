#include "edgewise/io/tu_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>

#include "edgewise/core/folder.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

namespace fs = std::filesystem;

/// The NAME in NAME_A.txt or NAME_A.txt.gz; nothing for any other file.
std::optional<std::string> prefix_of_arcs(const std::string& file) {
  for (const std::string_view end : {"_A.txt", "_A.txt.gz"})
    if (file.ends_with(end)) return file.substr(0, file.size() - end.size());
  return std::nullopt;
}

/// ".../tu-MUTAG/MUTAG" from the folder, found by its only NAME_A.txt.
std::string find_prefix(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return prefix_of_arcs(path).value_or(path);
  std::vector<std::string> found;
  const auto names = names_in_folder(path);
  if (!names) throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  for (const std::string& name : *names)
    if (const auto prefix = prefix_of_arcs((fs::path(path) / name).string())) found.push_back(*prefix);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.empty()) throw DataError(fmt::format("{}: holds no file NAME_A.txt", path));
  if (found.size() > 1)
    throw DataError(
        fmt::format("{}: holds several sets; give the path up to the name of one, such as {}", path, found[0]));
  return found[0];
}

std::optional<std::string> find_file(const std::string& prefix, const char* part) {
  for (const char* end : {".txt", ".txt.gz"}) {
    const std::string file = prefix + "_" + part + end;
    if (std::error_code ignored; fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

using Row = std::vector<std::string_view>;

/// Calls `visit(fields, where)` for each line; blank lines are only allowed at the end.
std::size_t each_row(const std::string& file, const std::function<void(const Row&, const TextLocation&)>& visit) {
  TextReader reader(file);
  Row row;
  TextLocation where{file, 0, 0};
  std::size_t rows = 0;
  bool has_blank = false;
  for (std::string_view line; reader.next(line);) {
    if (without_blanks(line).empty()) {
      has_blank = true;
      continue;
    }
    where.line = reader.line_number();
    if (has_blank)
      throw DataError(where, "an empty line precedes this one, but an item is known by the number of its line");
    row.clear();
    for (std::size_t begin = 0;;) {
      const std::size_t comma = line.find(',', begin);
      row.push_back(without_blanks(line.substr(begin, comma - begin)));
      if (comma == std::string_view::npos) break;
      begin = comma + 1;
    }
    visit(row, where);
    ++rows;
  }
  return rows;
}

void expect_rows(const std::string& file, std::size_t rows, std::size_t expected, const char* what) {
  if (rows != expected)
    throw DataError(fmt::format("{}: expected {} lines, one for each {}, found {}", file, expected, what, rows));
}

/// Parses a number from 1 to `most` and returns it counted from 0.
std::uint32_t read_index(std::string_view text, std::uint64_t most, const char* what, const TextLocation& where) {
  const auto index = parse_index(text);
  if (!index) throw DataError(where, fmt::format("expected the number of a {}, got {}", what, quote(text)));
  if (*index < 1 || *index > most)
    throw DataError(where, fmt::format("{} {} is out of range: there are {}, counted from 1", what, *index, most));
  return static_cast<std::uint32_t>(*index - 1);
}

struct LabelSet {
  std::vector<std::int32_t> labels;
  std::vector<std::string> names;
};

/// Integers, one per line, as indices into their sorted distinct values.
LabelSet read_labels(const std::string& file, std::size_t expected, const char* what) {
  std::vector<std::int64_t> raw;
  const std::size_t rows = each_row(file, [&](const Row& row, const TextLocation& where) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(row[0].data(), row[0].data() + row[0].size(), value);
    if (row.size() != 1 || error != std::errc() || end != row[0].data() + row[0].size())
      throw DataError(where, fmt::format("expected one integer, got {}", quote(row[0])));
    raw.push_back(value);
  });
  expect_rows(file, rows, expected, what);
  std::vector<std::int64_t> sorted = raw;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  LabelSet result;
  for (const std::int64_t value : sorted) result.names.push_back(fmt::format("{}", value));
  for (const std::int64_t value : raw)
    result.labels.push_back(
        static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin()));
  return result;
}

/// Reals separated by commas, the same number in each line.
Matrix read_attributes(const std::string& file, std::size_t expected, const char* what) {
  std::vector<float> values;
  std::size_t width = 0;
  const std::size_t rows = each_row(file, [&](const Row& row, const TextLocation& where) {
    if (width == 0) width = row.size();
    if (row.size() != width) throw DataError(where, fmt::format("expected {} numbers, found {}", width, row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      values.push_back(require_number(row[i], where, fmt::format("{}", i + 1)));
  });
  expect_rows(file, rows, expected, what);
  return ConstMatrixMap(values.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(width));
}

void read_indicator(const std::string& prefix, TuDataset& set) {
  const auto file = find_file(prefix, "graph_indicator");
  if (!file) throw DataError(fmt::format("{}_graph_indicator.txt: cannot be read: no such file", prefix));
  std::uint32_t last = 0;
  each_row(*file, [&](const Row& row, const TextLocation& where) {
    if (row.size() != 1) throw DataError(where, fmt::format("expected one graph, found {} fields", row.size()));
    last = read_index(row[0], std::numeric_limits<std::int32_t>::max(), "graph", where);
    set.graph_of_node.push_back(last);
    set.graph_count = std::max<std::size_t>(set.graph_count, std::size_t{last} + 1);
    // A graph may have no nodes, but more such graphs than nodes indicate a wrong number.
    if (set.graph_count > 2 * set.graph_of_node.size() + 1000)
      throw DataError(where, fmt::format("graph {} is out of range: only {} nodes come before it", last + 1,
                                         set.graph_of_node.size() - 1));
  });
  for (std::size_t i = 1; i <= set.graph_of_node.size(); ++i) set.names.add(fmt::format_int(i).c_str());
}

void read_arcs(const std::string& prefix, TuDataset& set) {
  const auto file = find_file(prefix, "A");
  if (!file) throw DataError(fmt::format("{}_A.txt: cannot be read: no such file", prefix));
  each_row(*file, [&](const Row& row, const TextLocation& where) {
    if (row.size() != 2) throw DataError(where, fmt::format("expected two nodes, found {} fields", row.size()));
    const std::uint32_t source = read_index(row[0], set.names.size(), "node", where);
    const std::uint32_t target = read_index(row[1], set.names.size(), "node", where);
    if (set.graph_of_node[source] != set.graph_of_node[target])
      throw DataError(where, fmt::format("an edge between graph {} and graph {}", set.graph_of_node[source] + 1,
                                         set.graph_of_node[target] + 1));
    set.edges.sources.push_back(source);
    set.edges.targets.push_back(target);
  });
}

}  // namespace

std::vector<std::string> tu_files(const std::string& path) {
  const std::string prefix = find_prefix(path);
  std::vector<std::string> files;
  for (const char* part : {"A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_attributes",
                           "edge_labels", "edge_attributes"})
    if (const auto file = find_file(prefix, part)) files.push_back(*file);
  return files;
}

TuDataset read_tu_dataset(const std::string& path) {
  const std::string prefix = find_prefix(path);
  TuDataset set;
  set.name = fs::path(prefix).filename().string();
  read_indicator(prefix, set);
  read_arcs(prefix, set);
  const auto labels = [&](const char* part, std::size_t count, const char* what, auto& indices, auto& names) {
    const auto file = find_file(prefix, part);
    if (!file) return;
    LabelSet read = read_labels(*file, count, what);
    indices = std::move(read.labels);
    names = std::move(read.names);
  };
  const auto attributes = [&](const char* part, std::size_t count, const char* what, Matrix& values) {
    if (const auto file = find_file(prefix, part)) values = read_attributes(*file, count, what);
  };
  labels("graph_labels", set.graph_count, "graph", set.graph_labels, set.graph_label_names);
  labels("node_labels", set.names.size(), "node", set.node_labels, set.node_label_names);
  labels("edge_labels", set.edges.size(), "edge", set.edge_labels, set.edge_label_names);
  attributes("graph_attributes", set.graph_count, "graph", set.graph_attributes);
  attributes("node_attributes", set.names.size(), "node", set.node_attributes);
  attributes("edge_attributes", set.edges.size(), "edge", set.edges.features);
  for (Eigen::Index i = 1; i <= set.edges.features.cols(); ++i)
    set.edges.feature_names.push_back(fmt::format("attribute {}", i));
  return set;
}

}  // namespace edgewise::io
