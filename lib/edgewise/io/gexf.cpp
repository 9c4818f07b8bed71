#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "edgewise/io/category.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/xml_reader.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using detail::GraphBuilder;
using detail::ValueType;
using detail::XmlElement;

/// An <attribute> of nodes or of edges.
struct GexfAttribute {
  std::string title;
  ValueType type = ValueType::unknown;
  bool is_boolean = false;  // then its type is text
  bool is_list = false;
  std::optional<GraphBuilder::Text> preset;  // <default>
};

/// The attributes of one class, "node" or "edge".
struct GexfClass {
  std::map<std::string, GexfAttribute, std::less<>> attributes;
  std::vector<const GexfAttribute*> presets;
};

ValueType gexf_type(std::string_view type) {
  for (const char* number : {"integer", "int", "long", "short", "byte", "float", "double", "bigdecimal", "biginteger"})
    if (type == number) return ValueType::number;
  return ValueType::text;
}

std::string_view value_or(const XmlElement& element, std::string_view name, std::string_view fallback) {
  const std::string_view* value = element.find(name);
  return value == nullptr ? fallback : *value;
}

struct GexfEdge {
  GraphBuilder::Text source;  // ids, in `ids_`
  GraphBuilder::Text target;
  std::uint64_t line;
  bool is_directed;
};

/// Processes the elements of a file. Edges wait until all nodes are known.
class GexfReader {
 public:
  explicit GexfReader(const std::string& path) : path_(path), builder_(path, graph::Direction::undirected) {
    builder_.set_kind_of_edges("kind");
  }

  GraphFile read(const GraphFileOptions& options) {
    const detail::XmlHandler handler = {[this](const XmlElement& element) { start(element); },
                                        [this](std::string_view) { end(); },
                                        [this](std::string_view text) { add_text(text); },
                                        [this](std::uint64_t bytes) { builder_.set_text_bytes(bytes); }};
    detail::read_xml(path_, handler);
    if (!has_graph_) throw DataError(fmt::format("{}: holds no <graph>; is it GEXF?", path_));
    if (edges_.empty() ? is_directed_ : has_directed_edge_) builder_.set_direction(graph::Direction::directed);
    for (const GexfEdge& edge : edges_) {
      const graph::Node source = node(edge.source, edge), target = node(edge.target, edge);
      if (edge.is_directed)
        builder_.add_edge(source, target, edge.line);
      else
        builder_.add_two_way_edge(source, target, edge.line);
    }
    if (is_dynamic_)
      builder_.note("the graph changes over time: it is read as that of all times, with the last values");
    GraphFile file = builder_.finish(options);
    detail::drop_repeated_names(file, "label");
    return file;
  }

 private:
  enum class Part { other, gexf, graph, attributes, attribute, preset, nodes, node, edges, edge, values, value };

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw DataError(TextLocation{path_, line, 0}, what);
  }
  std::string_view required(const XmlElement& element, std::string_view name) const {
    if (const std::string_view* value = element.find(name)) return *value;
    fail(element.line, fmt::format("<{}> lacks its attribute {}", element.name, quote(name)));
  }

  static Part part_of(Part parent, std::string_view name) {
    struct Rule {
      Part parent;
      std::string_view name;
      Part part;
    };
    static constexpr Rule kRules[] = {
        {Part::gexf, "graph", Part::graph},           {Part::graph, "attributes", Part::attributes},
        {Part::attributes, "attribute", Part::attribute}, {Part::attribute, "default", Part::preset},
        {Part::graph, "nodes", Part::nodes},          {Part::node, "nodes", Part::nodes},
        {Part::nodes, "node", Part::node},            {Part::graph, "edges", Part::edges},
        {Part::node, "edges", Part::edges},           {Part::edges, "edge", Part::edge},
        {Part::node, "attvalues", Part::values},      {Part::edge, "attvalues", Part::values},
        {Part::values, "attvalue", Part::value}};
    for (const Rule& rule : kRules)
      if (rule.parent == parent && rule.name == name) return rule.part;
    return Part::other;
  }

  void start(const XmlElement& element) {
    Part part = Part::other;
    if (!parts_.empty()) part = part_of(parts_.back(), element.name);
    else if (element.name == "gexf") part = Part::gexf;
    parts_.push_back(part);
    if (part == Part::node || part == Part::edge || part == Part::value) check_time(element);
    if (part == Part::graph) begin_graph(element);
    if (part == Part::attributes) class_ = value_or(element, "class", "node") == "edge" ? &of_edges_ : &of_nodes_;
    if (part == Part::attribute) begin_attribute(element);
    if (part == Part::preset) text_.clear();
    if (part == Part::node) begin_node(element);
    if (part == Part::edge) begin_edge(element);
    if (part == Part::value) set_value(element);
  }

  void end() {
    const Part part = parts_.back();
    parts_.pop_back();
    if (part == Part::node) open_nodes_.pop_back();
    if (part == Part::preset && !attribute_->is_list) {
      attribute_->preset = builder_.store(value_of(*attribute_, text_));
      class_->presets.push_back(attribute_);
    }
  }

  void add_text(std::string_view text) {
    if (!parts_.empty() && parts_.back() == Part::preset) text_ += text;
  }

  void check_time(const XmlElement& element) {
    for (const char* time : {"start", "end", "startopen", "endopen", "timestamp"})
      is_dynamic_ = is_dynamic_ || element.find(time) != nullptr;
  }

  void begin_graph(const XmlElement& element) {
    if (has_graph_) fail(element.line, "a second graph begins here; expected one graph per file");
    has_graph_ = true;
    is_directed_ = value_or(element, "defaultedgetype", "undirected") == "directed";
    is_dynamic_ = value_or(element, "mode", "static") == "dynamic";
  }

  void begin_attribute(const XmlElement& element) {
    const std::string_view id = required(element, "id");
    const auto [place, is_new] = class_->attributes.try_emplace(std::string(id));
    if (!is_new) fail(element.line, fmt::format("a second <attribute> {}", quote(id)));
    attribute_ = &place->second;
    const std::string_view type = value_or(element, "type", "string");
    attribute_->title = value_or(element, "title", id);
    attribute_->type = gexf_type(type);
    attribute_->is_boolean = type == "boolean";
    attribute_->is_list = type.starts_with("list");
    line_ = element.line;
  }

  void begin_node(const XmlElement& element) {
    const graph::Node node = builder_.add_node(required(element, "id"), element.line);
    open_nodes_.push_back(node);
    if (const std::string_view* label = element.find("label"))
      builder_.set_node(node, "label", *label, ValueType::text);
    for (const GexfAttribute* attribute : of_nodes_.presets)
      builder_.set_node(node, attribute->title, *attribute->preset, attribute->type);
  }

  void begin_edge(const XmlElement& element) {
    const std::string_view type = value_or(element, "type", is_directed_ ? "directed" : "undirected");
    if (type != "directed" && type != "undirected" && type != "mutual")
      fail(element.line, fmt::format("expected an edge of type directed, undirected or mutual, got {}", quote(type)));
    has_directed_edge_ = has_directed_edge_ || type != "undirected";  // mutual: in a directed graph
    const GraphBuilder::Text source = ids_.add(required(element, "source"));
    edges_.push_back({source, ids_.add(required(element, "target")), element.line, type == "directed"});
    for (const char* text : {"label", "kind"})
      if (const std::string_view* value = element.find(text)) set_edge(text, *value, ValueType::text);
    for (const GexfAttribute* attribute : of_edges_.presets)
      builder_.set_edge(edges_.size() - 1, attribute->title, *attribute->preset, attribute->type);
    if (const std::string_view* weight = element.find("weight")) set_edge("weight", *weight, ValueType::number);
  }

  std::string_view value_of(const GexfAttribute& attribute, std::string_view text) const {
    return attribute.is_boolean && !text.empty() ? require_boolean(text, {path_, line_, 0}, attribute.title) : text;
  }

  void set_edge(std::string_view name, std::string_view value, ValueType type) {
    builder_.set_edge(edges_.size() - 1, name, value, type);
  }

  void set_value(const XmlElement& element) {
    const bool is_of_node = parts_[parts_.size() - 3] == Part::node;
    const std::string_view* id = element.find("for");
    if (id == nullptr) id = element.find("id");  // GEXF 1.0
    if (id == nullptr) fail(element.line, "<attvalue> lacks its attribute \"for\"");
    const GexfClass& of = is_of_node ? of_nodes_ : of_edges_;
    const auto found = of.attributes.find(*id);
    if (found == of.attributes.end())
      fail(element.line, fmt::format("unknown attribute {}: no <attribute> before declares it for {}", quote(*id),
                                     is_of_node ? "nodes" : "edges"));
    const GexfAttribute& attribute = found->second;
    if (attribute.is_list) return builder_.note_unused(attribute.title);
    line_ = element.line;
    const std::string_view value = value_of(attribute, required(element, "value"));
    if (is_of_node)
      builder_.set_node(open_nodes_.back(), attribute.title, value, attribute.type);
    else
      set_edge(attribute.title, value, attribute.type);
  }

  graph::Node node(GraphBuilder::Text id, const GexfEdge& edge) const {
    if (const auto found = builder_.find(ids_[id])) return *found;
    fail(edge.line, fmt::format("unknown node {}: no <node> declares it", quote(ids_[id])));
  }

  const std::string& path_;
  GraphBuilder builder_;
  std::vector<Part> parts_;  // the path to the current element
  GexfClass of_nodes_;
  GexfClass of_edges_;
  GexfClass* class_ = nullptr;
  GexfAttribute* attribute_ = nullptr;  // started last
  std::uint64_t line_ = 0;  // of the <attribute> or <attvalue> started last
  bool has_graph_ = false;
  bool is_directed_ = false;  // unless an edge says otherwise
  bool has_directed_edge_ = false;
  bool is_dynamic_ = false;
  std::vector<graph::Node> open_nodes_;
  std::string text_;
  graph::NodeNames ids_;  // of edge endpoints
  std::vector<GexfEdge> edges_;
};

}  // namespace

GraphFile read_gexf(const std::string& path, const GraphFileOptions& options) { return GexfReader(path).read(options); }

}  // namespace edgewise::io
