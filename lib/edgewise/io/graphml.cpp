#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <map>
#include <optional>

#include "edgewise/core/text.hpp"
#include "edgewise/io/category.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/xml_reader.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using detail::GraphBuilder;
using detail::ValueType;
using detail::XmlElement;

/// A <key>: an attribute of nodes, edges or both.
struct GraphmlKey {
  std::string name;  // empty for the drawings of yEd
  ValueType type = ValueType::unknown;
  bool is_boolean = false;  // then its type is text
  bool is_list = false;
  bool is_of_nodes = false;
  bool is_of_edges = false;
  std::optional<GraphBuilder::Text> preset;  // <default>
};

ValueType value_type(std::string_view type) {
  if (type == "boolean" || type == "string") return ValueType::text;
  for (const char* number : {"int", "integer", "short", "long", "float", "double"})
    if (type == number) return ValueType::number;
  return ValueType::unknown;
}

/// Whether graph-tool writes values of this type as lists or as pickled objects.
bool is_list_type(std::string_view type) { return type.starts_with("vector_") || type == "python_object"; }

/// The keys with one id. Cytoscape declares one for nodes and another for edges, or uses that of nodes for both.
struct GraphmlKeys {
  const GraphmlKey* of_nodes = nullptr;
  const GraphmlKey* of_edges = nullptr;
  const GraphmlKey* last = nullptr;
};

struct WaitingEdge {
  GraphBuilder::Text source;  // ids, in `ids_`
  GraphBuilder::Text target;
  std::uint64_t line;
  bool is_directed;
};

std::string_view without_space(std::string_view text) { return trimmed(text, " \t\r\n"); }

/// The name of an element without the prefix of its namespace.
std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }  // npos + 1 == 0

/// A number in hexadecimal, as graph-tool writes doubles, in decimal; any other text as it is.
std::string in_decimal(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::string_view prefix = text.substr(sign, 2);
  if (prefix != "0x" && prefix != "0X") return std::string(text);
  const std::string_view digits = text.substr(sign + 2);
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::hex);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('-')) return std::string(text);
  return fmt::format("{}", sign == 1 ? -value : value);
}

/// Processes the elements of a file. Edges wait until all nodes are known. The nodes and edges of nested graphs, which
/// yEd writes for its groups, belong to the graph.
class GraphmlReader {
 public:
  explicit GraphmlReader(const std::string& path) : path_(path), builder_(path, graph::Direction::undirected) {}

  GraphFile read(const GraphFileOptions& options) {
    const detail::XmlHandler handler = {[this](const XmlElement& element) { start(element); },
                                        [this](std::string_view) { end(); },
                                        [this](std::string_view text) { add_text(text); },
                                        [this](std::uint64_t bytes) { builder_.set_text_bytes(bytes); }};
    detail::read_xml(path_, handler);
    if (!has_graph_) throw DataError(fmt::format("{}: holds no <graph>; is it GraphML?", path_));
    const bool is_directed = edges_.empty() ? is_directed_ : has_directed_edge_;
    if (is_directed) builder_.set_direction(graph::Direction::directed);
    for (const WaitingEdge& edge : edges_) {
      const graph::Node source = node(edge.source, edge), target = node(edge.target, edge);
      if (edge.is_directed)
        builder_.add_edge(source, target, edge.line);
      else
        builder_.add_two_way_edge(source, target, edge.line);
    }
    return builder_.finish(options);
  }

 private:
  enum class Part { other, graphml, key, preset, graph, node, edge, data, label };

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw DataError(TextLocation{path_, line, 0}, what);
  }
  std::string_view required(const XmlElement& element, std::string_view name) const {
    if (const std::string_view* value = element.find(name)) return *value;
    fail(element.line, fmt::format("<{}> lacks its attribute {}", element.name, quote(name)));
  }

  void start(const XmlElement& element) {
    const Part parent = parts_.empty() ? Part::other : parts_.back();
    Part part = Part::other;
    if (parts_.empty() && element.name == "graphml") part = Part::graphml;
    if (parent == Part::graphml && element.name == "key") part = Part::key;
    if (parent == Part::key && element.name == "default") part = Part::preset;
    if (parent == Part::graph && element.name == "node") part = Part::node;
    if (parent == Part::graph && element.name == "edge") part = Part::edge;
    if ((parent == Part::node || parent == Part::edge) && element.name == "data") part = Part::data;
    if (element.name == "graph") part = part_of_graph(parent, element);
    if (parent == Part::graph && element.name == "hyperedge")
      fail(element.line, "a hyperedge joins any number of nodes; expected edges between two nodes");
    if (parent == Part::data) data_has_elements_ = true;
    if (is_in_data_ && (local_name(element.name) == "NodeLabel" || local_name(element.name) == "EdgeLabel"))
      part = Part::label;
    parts_.push_back(part);
    begin(part, element);
  }

  Part part_of_graph(Part parent, const XmlElement& element) const {
    if (parent == Part::graphml && has_graph_)
      fail(element.line, "a second graph begins here; expected one graph per file");
    if (parent == Part::edge) fail(element.line, "a graph within an edge; expected graphs within nodes only");
    return parent == Part::graphml || parent == Part::node ? Part::graph : Part::other;
  }

  void begin(Part part, const XmlElement& element) {
    switch (part) {
      case Part::key:
        return begin_key(element);
      case Part::graph:
        return begin_graph(element);
      case Part::node:
        return begin_node(element);
      case Part::edge:
        return begin_edge(element);
      case Part::data:
        begin_data(element);
        [[fallthrough]];
      case Part::preset:
        if (part == Part::preset) data_line_ = element.line;
        text_.clear();
        return;
      case Part::label:
        label_.clear();
        return;
      case Part::graphml:
      case Part::other:
        return;
    }
  }

  void begin_key(const XmlElement& element) {
    const auto get = [&](std::string_view name) {
      const std::string_view* value = element.find(name);
      return value == nullptr ? std::string_view() : *value;
    };
    const std::string_view what = get("for");
    const bool is_of_all = what.empty() || what == "all";
    const bool is_drawing = element.find("yfiles.type") != nullptr;
    const std::string_view name = element.find("attr.name") != nullptr || is_drawing ? get("attr.name") : get("id");
    last_key_ = &all_keys_.emplace_back(GraphmlKey{.name = std::string(name),
                                                   .type = value_type(get("attr.type")),
                                                   .is_boolean = get("attr.type") == "boolean",
                                                   .is_list = is_list_type(get("attr.type")),
                                                   .is_of_nodes = is_of_all || what == "node",
                                                   .is_of_edges = is_of_all || what == "edge",
                                                   .preset = {}});
    GraphmlKeys& keys = keys_[std::string(get("id"))];
    if ((last_key_->is_of_nodes && keys.of_nodes != nullptr) || (last_key_->is_of_edges && keys.of_edges != nullptr))
      fail(element.line, fmt::format("a second <key> {}", quote(get("id"))));
    if (last_key_->is_of_nodes) keys.of_nodes = last_key_;
    if (last_key_->is_of_edges) keys.of_edges = last_key_;
    keys.last = last_key_;
  }

  void end_key() {
    if (!last_key_->preset || last_key_->name.empty() || last_key_->is_list) return;
    if (last_key_->is_of_nodes) node_presets_.push_back(last_key_);
    if (last_key_->is_of_edges) edge_presets_.push_back(last_key_);
  }

  void begin_graph(const XmlElement& element) {
    const std::string_view* direction = element.find("edgedefault");
    const bool is_directed = direction != nullptr && *direction == "directed";
    if (!has_graph_) is_directed_ = is_directed;
    has_graph_ = true;
    open_graphs_.push_back(is_directed);
  }

  void begin_node(const XmlElement& element) {
    const graph::Node node = builder_.add_node(required(element, "id"), element.line);
    for (const GraphmlKey* key : node_presets_) builder_.set_node(node, key->name, *key->preset, key->type);
    open_nodes_.push_back(node);
  }

  void begin_edge(const XmlElement& element) {
    const std::string_view* directed = element.find("directed");
    const bool is_directed = directed != nullptr ? *directed == "true" : open_graphs_.back();
    has_directed_edge_ = has_directed_edge_ || is_directed;
    const GraphBuilder::Text source = ids_.add(required(element, "source"));
    edges_.push_back({source, ids_.add(required(element, "target")), element.line, is_directed});
    for (const GraphmlKey* key : edge_presets_)
      builder_.set_edge(edges_.size() - 1, key->name, *key->preset, key->type);
  }

  void begin_data(const XmlElement& element) {
    const std::string_view id = required(element, "key");
    const auto found = keys_.find(id);
    if (found == keys_.end()) fail(element.line, fmt::format("unknown key {}: no <key> before declares it", quote(id)));
    data_line_ = element.line;
    is_data_of_node_ = parts_[parts_.size() - 2] == Part::node;
    data_key_ = is_data_of_node_ ? found->second.of_nodes : found->second.of_edges;
    if (data_key_ == nullptr) data_key_ = found->second.last;
    is_in_data_ = true;
    data_has_elements_ = false;
    has_label_ = false;
  }

  void add_text(std::string_view text) {
    const Part part = parts_.empty() ? Part::other : parts_.back();
    if (part == Part::data || part == Part::preset) text_ += text;
    if (part == Part::label) label_ += text;
  }

  void end() {
    const Part part = parts_.back();
    parts_.pop_back();
    if (part == Part::key) end_key();
    if (part == Part::preset) last_key_->preset = builder_.store(value_of(*last_key_));
    if (part == Part::graph) open_graphs_.pop_back();
    if (part == Part::node) open_nodes_.pop_back();
    if (part == Part::label) end_label();
    if (part == Part::data) end_data();
  }

  /// The first label of a drawing counts.
  void end_label() {
    if (!has_label_) set("label", without_space(label_), ValueType::text);
    has_label_ = true;
  }

  void end_data() {
    is_in_data_ = false;
    if (data_key_->name.empty() || data_has_elements_) return;
    if (data_key_->is_list) return builder_.note_unused(data_key_->name);
    const std::string_view text = value_of(*data_key_);
    if (data_key_->type == ValueType::number)
      set(data_key_->name, in_decimal(text), data_key_->type);
    else
      set(data_key_->name, text, data_key_->type);
  }

  /// The text of the element that ends. Strings keep their blanks. A boolean is "true" or "false", whether the writer
  /// has True (NetworkX), true (igraph) or 1 (Boost).
  std::string_view value_of(const GraphmlKey& key) const {
    const std::string_view trimmed = without_space(text_);
    if (key.is_boolean) return trimmed.empty() ? trimmed : require_boolean(trimmed, {path_, data_line_, 0}, key.name);
    const bool is_string = key.type == ValueType::text ||
                           (key.type == ValueType::unknown && !trimmed.empty() && !is_number(trimmed));
    return is_string ? std::string_view(text_) : trimmed;
  }

  void set(std::string_view name, std::string_view value, ValueType type) {
    if (is_data_of_node_)
      builder_.set_node(open_nodes_.back(), name, value, type);
    else
      builder_.set_edge(edges_.size() - 1, name, value, type);
  }

  graph::Node node(GraphBuilder::Text id, const WaitingEdge& edge) const {
    if (const auto found = builder_.find(ids_[id])) return *found;
    fail(edge.line, fmt::format("unknown node {}: no <node> declares it", quote(ids_[id])));
  }

  const std::string& path_;
  GraphBuilder builder_;
  std::vector<Part> parts_;  // the path to the current element
  std::deque<GraphmlKey> all_keys_;
  std::map<std::string, GraphmlKeys, std::less<>> keys_;
  GraphmlKey* last_key_ = nullptr;
  const GraphmlKey* data_key_ = nullptr;  // of the <data> started last
  std::uint64_t data_line_ = 0;            // of it, or of the <default>
  std::vector<const GraphmlKey*> node_presets_;
  std::vector<const GraphmlKey*> edge_presets_;
  bool has_graph_ = false;
  bool is_directed_ = false;  // the outermost graph
  bool has_directed_edge_ = false;
  std::vector<bool> open_graphs_;         // whether edges are directed in the graphs that have not ended
  std::vector<graph::Node> open_nodes_;   // the nodes that have not ended
  bool is_in_data_ = false;
  bool is_data_of_node_ = false;
  bool data_has_elements_ = false;
  bool has_label_ = false;
  std::string text_;
  std::string label_;
  graph::NodeNames ids_;  // of edge endpoints
  std::vector<WaitingEdge> edges_;
};

}  // namespace

GraphFile read_graphml(const std::string& path, const GraphFileOptions& options) {
  GraphFile file = GraphmlReader(path).read(options);
  detail::drop_repeated_names(file, "label");
  return file;
}

}  // namespace edgewise::io
