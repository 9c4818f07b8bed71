#include "edgewise/io/graphml.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/xml_reader.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using detail::GraphBuilder;
using detail::ValueType;
using detail::XmlElement;

/// A <key>: an attribute of nodes, edges or both.
struct GraphmlKey {
  std::string name;
  ValueType type = ValueType::unknown;
  bool is_of_nodes = false;
  bool is_of_edges = false;
  std::optional<GraphBuilder::Text> preset;  // <default>
};

ValueType value_type(std::string_view type) {
  if (type == "boolean" || type == "string") return ValueType::text;
  const bool is_number = type == "int" || type == "long" || type == "float" || type == "double";
  return is_number ? ValueType::number : ValueType::unknown;
}

struct WaitingEdge {
  GraphBuilder::Text source;  // ids, in `ids_`
  GraphBuilder::Text target;
  std::uint64_t line;
};

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Processes the elements of a file. Edges wait until all nodes are known.
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
    for (const WaitingEdge& edge : edges_)
      builder_.add_edge(node(edge.source, edge), node(edge.target, edge), edge.line);
    return builder_.finish(options);
  }

 private:
  enum class Part { other, graphml, key, preset, graph, node, edge, data };

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
    if (element.name == "graph") {
      if (has_graph_) fail(element.line, "a second graph begins here; expected one graph per file");
      if (parent == Part::graphml) part = Part::graph;
    }
    parts_.push_back(part);
    begin(part, element);
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
        text_.clear();
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
    const auto [place, is_new] = keys_.try_emplace(std::string(get("id")));
    if (!is_new) fail(element.line, fmt::format("a second <key> {}", quote(get("id"))));
    last_key_ = &place->second;
    *last_key_ = {.name = std::string(get("attr.name")),
                  .type = value_type(get("attr.type")),
                  .is_of_nodes = is_of_all || what == "node",
                  .is_of_edges = is_of_all || what == "edge",
                  .preset = {}};
  }

  void end_key() {
    if (!last_key_->preset || last_key_->name.empty()) return;
    if (last_key_->is_of_nodes) node_presets_.push_back(last_key_);
    if (last_key_->is_of_edges) edge_presets_.push_back(last_key_);
  }

  void begin_graph(const XmlElement& element) {
    has_graph_ = true;
    is_directed_ = required(element, "edgedefault") == "directed";
    if (is_directed_) builder_.set_direction(graph::Direction::directed);
  }

  void begin_node(const XmlElement& element) {
    node_ = builder_.add_node(required(element, "id"), element.line);
    for (const GraphmlKey* key : node_presets_) builder_.set_node(node_, key->name, *key->preset, key->type);
  }

  void begin_edge(const XmlElement& element) {
    const std::string_view* directed = element.find("directed");
    if (directed != nullptr && (*directed == "true") != is_directed_)
      fail(element.line,
           is_directed_ ? "an undirected edge in a directed graph" : "a directed edge in an undirected graph");
    const GraphBuilder::Text source = ids_.add(required(element, "source"));
    edges_.push_back({source, ids_.add(required(element, "target")), element.line});
    for (const GraphmlKey* key : edge_presets_)
      builder_.set_edge(edges_.size() - 1, key->name, *key->preset, key->type);
  }

  void begin_data(const XmlElement& element) {
    const std::string_view id = required(element, "key");
    const auto found = keys_.find(id);
    if (found == keys_.end()) fail(element.line, fmt::format("unknown key {}: no <key> before declares it", quote(id)));
    data_key_ = &found->second;
    const bool is_of_node = parts_[parts_.size() - 2] == Part::node;
    if (!(is_of_node ? data_key_->is_of_nodes : data_key_->is_of_edges))
      fail(element.line, fmt::format("the key {} is not for {}", quote(id), is_of_node ? "nodes" : "edges"));
  }

  void add_text(std::string_view text) {
    const Part part = parts_.empty() ? Part::other : parts_.back();
    if (part == Part::data || part == Part::preset) text_ += text;
  }

  void end() {
    const Part part = parts_.back();
    parts_.pop_back();
    if (part == Part::key) end_key();
    if (part == Part::preset) last_key_->preset = builder_.store(without_space(text_));
    if (part != Part::data || data_key_->name.empty()) return;
    if (parts_.back() == Part::node)
      builder_.set_node(node_, data_key_->name, without_space(text_), data_key_->type);
    else
      builder_.set_edge(edges_.size() - 1, data_key_->name, without_space(text_), data_key_->type);
  }

  graph::Node node(GraphBuilder::Text id, const WaitingEdge& edge) const {
    if (const auto found = builder_.find(ids_[id])) return *found;
    fail(edge.line, fmt::format("unknown node {}: no <node> declares it", quote(ids_[id])));
  }

  const std::string& path_;
  GraphBuilder builder_;
  std::vector<Part> parts_;  // the path to the current element
  std::map<std::string, GraphmlKey, std::less<>> keys_;
  GraphmlKey* last_key_ = nullptr;
  const GraphmlKey* data_key_ = nullptr;  // of the <data> started last
  std::vector<const GraphmlKey*> node_presets_;
  std::vector<const GraphmlKey*> edge_presets_;
  bool has_graph_ = false;
  bool is_directed_ = false;
  graph::Node node_ = 0;  // the node started last
  std::string text_;
  graph::NodeNames ids_;  // of edge endpoints
  std::vector<WaitingEdge> edges_;
};

/// Removes the label, which Gephi shows, if it only repeats the names of the nodes.
void drop_label_of_names(GraphFile& file) {
  const Column* label = file.nodes.find("label");
  if (label == nullptr || label->is_numeric) return;
  for (graph::Node node = 0; node < file.names.size(); ++node)
    if (label->text(node) != file.names[node]) return;
  std::erase_if(file.nodes.columns, [](const Column& column) { return column.name == "label"; });
}

}  // namespace

GraphFile read_graphml(const std::string& path, const GraphFileOptions& options) {
  GraphFile file = GraphmlReader(path).read(options);
  drop_label_of_names(file);
  return file;
}

}  // namespace edgewise::io
