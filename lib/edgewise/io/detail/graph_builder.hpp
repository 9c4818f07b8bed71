#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io::detail {

/// Whether a format says that a value is text, or that it is a number, or says nothing.
enum class ValueType { text, number, unknown };

/// Gathers nodes, edges and their attributes in any order, and applies the rules of GraphFile.
class GraphBuilder {
 public:
  GraphBuilder(std::string file, graph::Direction direction);

  /// A new node; DataError when it is there already. `line` is 0 where it is not known.
  graph::Node add_node(std::string_view name, std::uint64_t line = 0);
  std::optional<graph::Node> find(std::string_view name) const { return result_.names.find(name); }
  void add_edge(graph::Node source, graph::Node target);
  std::size_t edge_count() const { return result_.edges.size(); }

  void set_node(graph::Node node, std::string_view name, std::string value, ValueType type);
  void set_edge(std::size_t edge, std::string_view name, std::string value, ValueType type);
  void note_unused(std::string name);

  GraphFile finish();

 private:
  struct Attribute {
    std::string name;
    ValueType type = ValueType::unknown;
    std::vector<std::optional<std::string>> values;
  };
  static void set(std::vector<Attribute>& attributes, std::size_t index, std::string_view name, std::string value,
                  ValueType type);
  Column make_column(const Attribute& attribute, std::size_t count, bool is_node) const;
  void use_edge_columns(std::vector<Column> columns);

  GraphFile result_;
  std::vector<Attribute> node_attributes_;
  std::vector<Attribute> edge_attributes_;
};

}  // namespace edgewise::io::detail
