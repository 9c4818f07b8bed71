#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/graph_builder.hpp"

namespace edgewise::io {
namespace {

using detail::GraphBuilder;
using detail::ValueType;

bool has_all(const std::vector<std::string>& columns, const std::vector<std::string_view>& wanted) {
  return std::ranges::all_of(wanted, [&](std::string_view name) { return std::ranges::count(columns, name) > 0; });
}

/// A table whose rows have become nodes and edges.
class ExportedTable {
 public:
  ExportedTable(const std::string& path, const char* what) : reader_(path) {
    if (!reader_.next()) throw DataError(fmt::format("{}: holds no rows, expected {}", path, what));
    columns_ = header_names(reader_.fields(), reader_.where());
  }

  bool next() {
    if (!reader_.next()) return false;
    bytes_ += 1;
    for (const std::string_view field : reader_.fields()) bytes_ += field.size() + 1;
    return true;
  }
  /// The position of a column that the table has.
  std::size_t at(std::string_view column) const { return column_index(columns_, std::string(column), reader_.path()); }
  std::string_view operator[](std::size_t column) const { return reader_.fields()[column]; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::uint64_t line() const { return reader_.line(); }
  std::uint64_t bytes() const { return bytes_; }
  [[noreturn]] void fail(const std::string& what) const { throw DataError(reader_.where(), what); }

  /// Calls `set(name, value, type)` for each value outside of these columns.
  template <class Set>
  void each_value(const std::vector<std::string_view>& structural, const Set& set) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_text = columns_[i] == "_type" || columns_[i] == "_labels" || columns_[i] == "interaction";
      if (!(*this)[i].empty() && std::ranges::find(structural, columns_[i]) == structural.end())
        set(columns_[i], (*this)[i], is_text ? ValueType::text : ValueType::unknown);
    }
  }

 private:
  CsvReader reader_;
  std::vector<std::string> columns_;
  std::uint64_t bytes_ = 0;
};

struct Relationship {
  GraphBuilder::Text start;
  GraphBuilder::Text end;
  std::uint64_t line;
};

const std::vector<std::string_view> kNeo4jColumns = {"_id", "_start", "_end"};

}  // namespace

bool is_neo4j_export(const std::vector<std::string>& columns) { return has_all(columns, kNeo4jColumns); }

bool is_cytoscape_edges(const std::vector<std::string>& columns) {
  return has_all(columns, {"interaction", "shared name"}) || has_all(columns, {"interaction", "name", "SUID"});
}

GraphFile read_neo4j_export(const std::string& path, const GraphFileOptions& options) {
  ExportedTable table(path, "nodes and relationships of Neo4j");
  const std::size_t id = table.at("_id"), start = table.at("_start"), end = table.at("_end");
  GraphBuilder builder(path, graph::Direction::directed);
  builder.set_kind_of_nodes("_labels");
  builder.set_kind_of_edges("_type");
  std::vector<Relationship> edges;  // wait until all nodes are known
  while (table.next()) {
    builder.set_text_bytes(table.bytes());
    if (!table[start].empty() && !table[end].empty()) {
      edges.push_back({builder.store(table[start]), builder.store(table[end]), table.line()});
      table.each_value(kNeo4jColumns, [&](std::string_view name, std::string_view value, ValueType type) {
        builder.set_edge(edges.size() - 1, name, value, type);
      });
      continue;
    }
    if (table[id].empty()) table.fail("expected a node in \"_id\", or the ends of an edge in \"_start\" and \"_end\"");
    const graph::Node node = builder.add_node(table[id], table.line());
    table.each_value(kNeo4jColumns, [&](std::string_view name, std::string_view value, ValueType type) {
      builder.set_node(node, name, value, type);
    });
  }
  for (const Relationship& edge : edges) {
    const auto endpoint = [&](GraphBuilder::Text name) {
      if (const auto node = builder.find(builder.text(name))) return *node;
      throw DataError(TextLocation{path, edge.line, 0},
                      fmt::format("unknown node {}: no row has this \"_id\"", quote(builder.text(name))));
    };
    const graph::Node source = endpoint(edge.start);
    builder.add_edge(source, endpoint(edge.end), edge.line);
  }
  return builder.finish(options);
}

GraphFile read_cytoscape_edges(const std::string& path, const GraphFileOptions& options) {
  ExportedTable table(path, "a table of edges of Cytoscape");
  const bool is_shared = std::ranges::count(table.columns(), "shared name") > 0;
  const std::size_t name = table.at(is_shared ? "shared name" : "name"), interaction = table.at("interaction");
  GraphBuilder builder(path, graph::Direction::undirected);
  builder.set_kind_of_edges("interaction");
  while (table.next()) {
    builder.set_text_bytes(table.bytes());
    const std::string between = fmt::format(" ({}) ", table[interaction]);
    const std::string_view both = table[name];
    const std::size_t place = both.find(between);
    if (place == std::string_view::npos || place == 0 || place + between.size() == both.size() ||
        both.find(between, place + 1) != std::string_view::npos)
      table.fail(fmt::format("expected two nodes as in \"A{}B\", got {}", between, quote(both)));
    const graph::Node source = builder.node(both.substr(0, place), table.line());
    builder.add_edge(source, builder.node(both.substr(place + between.size()), table.line()), table.line());
    table.each_value({"SUID", "name", "shared name", "shared interaction", "selected"},
                     [&](std::string_view attribute, std::string_view value, ValueType type) {
                       builder.set_edge(builder.edge_count() - 1, attribute, value, type);
                     });
  }
  return builder.finish(options);
}

}  // namespace edgewise::io
