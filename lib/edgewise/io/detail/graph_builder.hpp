#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "edgewise/io/graph_contents.hpp"

namespace edgewise::io::detail {

/// The type that a format declares for a value; `unknown` if it declares none.
enum class ValueType { text, number, unknown };

/// Collects nodes, edges and their attributes in any order, and applies the rules of GraphFile. Memory is proportional
/// to the values set. Throws DataError if the resulting columns would be out of proportion to the file
/// (`Limits::cells`).
class GraphBuilder {
 public:
  /// A text that is stored once, no matter how often it is set.
  using Text = std::uint32_t;

  GraphBuilder(std::string file, graph::Direction direction);

  /// The length of the file's text, if known; it may grow.
  void set_text_bytes(std::uint64_t bytes) { text_bytes_ = bytes; }
  /// What the file calls the list of edges, if their lines are not known.
  void set_edge_list(std::string name) { edge_list_ = std::move(name); }
  void set_direction(graph::Direction direction) { result_.direction = direction; }

  /// Adds a new node; DataError if it already exists. `line` is 0 if unknown.
  graph::Node add_node(std::string_view name, std::uint64_t line = 0);
  /// The node, which is added if it is new.
  graph::Node node(std::string_view name, std::uint64_t line);
  std::optional<graph::Node> find(std::string_view name) const { return result_.names.find(name); }
  void add_edge(graph::Node source, graph::Node target, std::uint64_t line = 0);
  /// An edge that runs both ways even if the graph is directed, where `finish` adds its reverse.
  void add_two_way_edge(graph::Node source, graph::Node target, std::uint64_t line = 0);
  std::size_t edge_count() const { return result_.edges.size(); }

  Text store(std::string_view text) { return texts_.add(text); }
  /// A text that was stored; valid until the next one is.
  std::string_view text(Text text) const { return texts_[text]; }
  void set_node(graph::Node node, std::string_view name, Text value, ValueType type);
  void set_edge(std::size_t edge, std::string_view name, Text value, ValueType type);
  void set_node(graph::Node node, std::string_view name, std::string_view value, ValueType type) {
    set_node(node, name, store(value), type);
  }
  void set_edge(std::size_t edge, std::string_view name, std::string_view value, ValueType type) {
    set_edge(edge, name, store(value), type);
  }
  void note_unused(const std::string& name);
  void note(std::string_view text);
  /// The attribute with the kind of a node: a note names the kinds if there are several.
  void set_kind_of_nodes(std::string name) { node_kind_ = std::move(name); }
  /// The same for edges. With a single kind the attribute is not reported as unused either.
  void set_kind_of_edges(std::string name) { edge_kind_ = std::move(name); }

  GraphFile finish(const GraphFileOptions& options);

 private:
  struct Attribute {
    std::string name;
    ValueType type = ValueType::unknown;
    std::vector<std::pair<std::uint32_t, Text>> values;  // by row, in any order; the last value of a row counts
  };
  /// Attributes of all nodes or of all edges, in order of first appearance.
  struct Attributes {
    std::vector<Attribute> list;
    std::unordered_map<std::string, std::size_t> index;
  };
  void set(Attributes& attributes, std::size_t row, std::string_view name, Text value, ValueType type);
  void check_cells(std::uint64_t cells, const char* what) const;
  TextLocation place(std::size_t row, bool is_node) const;
  std::vector<Column> make_columns(Attributes& attributes, std::size_t rows, bool is_node,
                                   std::span<const std::string> missing);
  Column make_column(Attribute& attribute, std::size_t rows, bool is_node, std::span<const std::string> missing) const;
  void add_reverses();
  void note_kinds_of_nodes(const GraphFileOptions& options);
  void leave_unused(const Column& column);
  [[noreturn]] void refuse_weight(const Column& weight) const;
  std::vector<const Column*> attributes_of_edges(const std::vector<Column>& columns,
                                                 std::span<const std::string> names) const;
  [[noreturn]] void refuse_attribute(const std::vector<Column>& columns, const std::string& name) const;
  /// The requested weight, or one by its usual names; nullptr if there is none.
  const Column* find_weight(const std::vector<Column>& columns, const GraphFileOptions& options) const;
  /// Names the nodes by this attribute instead of their ids.
  void rename_nodes(const std::string& attribute);
  const Column* use_weight(const std::vector<Column>& columns, const GraphFileOptions& options);
  void use_edge_columns(const std::vector<Column>& columns, const GraphFileOptions& options);

  GraphFile result_;
  std::vector<std::uint64_t> edge_lines_;
  std::vector<std::uint32_t> two_way_edges_;
  std::string node_kind_;
  std::string edge_kind_;
  std::string edge_list_;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t cells_ = 0;  // values set
  graph::NodeNames texts_;
  Attributes node_attributes_;
  Attributes edge_attributes_;
  std::unordered_set<std::string> unused_;
};

/// Throws DataError if a header declares more nodes than a quarter of the edges that `Limits` allow for a text of this
/// length.
void check_declared_nodes(std::uint64_t nodes, std::uint64_t text_bytes, const TextLocation& where);

/// For lists of edges, whose weight is in the third field: calls it "weight" if the options call it "3".
GraphFileOptions with_weight_by_position(GraphFileOptions options);

/// Removes the column of nodes if it only repeats their names, as labels often do.
void drop_repeated_names(GraphFile& file, std::string_view column);

}  // namespace edgewise::io::detail
