#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/dot_scanner.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using detail::DotToken;
using graph::Node;
using Kind = DotToken::Kind;

constexpr std::size_t kDeepestBraces = 64;
constexpr std::size_t kMaxDefaults = 256;

/// Names and values are indices of interned texts.
using DotText = std::uint32_t;
using DotAttributes = std::map<DotText, DotText>;

/// The defaults set by `node [...]` and `edge [...]`, valid until the closing brace.
struct DotScope {
  std::shared_ptr<const DotAttributes> of_nodes = std::make_shared<DotAttributes>();
  std::shared_ptr<const DotAttributes> of_edges = of_nodes;
  std::vector<Node> members;  // nodes mentioned here, possibly repeated
};

/// Parses nodes and edges in file order.
class DotReader {
 public:
  DotReader(const std::string& text, const std::string& path)
      : path_(path), scanner_(text, path), text_bytes_(text.size()), token_(scanner_.next()) {}

  GraphFile read(const GraphFileOptions& options) {
    is_strict_ = take_keyword("strict");
    is_directed_ = take_keyword("digraph");
    if (!is_directed_ && !take_keyword("graph")) expected("graph or digraph");
    if (token_.kind == Kind::id) take();
    scopes_.emplace_back();
    read_braces();
    if (token_.kind != Kind::end) expected("the end of the file after the graph");
    return build(options);
  }

 private:
  /// A node, or the nodes in braces, at one end of an edge.
  using Nodes = std::vector<Node>;

  struct Edge {
    Node source;
    Node target;
    std::uint64_t line;
  };
  struct Value {
    std::uint32_t row;
    DotText name;
    DotText value;
  };

  [[noreturn]] void expected(const char* what) const {
    std::string found = "the end of the file";
    if (token_.kind == Kind::id) found = quote(token_.text);
    if (token_.kind == Kind::edge) found = token_.sign == '>' ? "->" : "--";
    if (token_.kind == Kind::sign) found = std::string(1, token_.sign);
    scanner_.fail(token_.line, fmt::format("expected {}, found {}", what, found));
  }
  [[noreturn]] void too_many(std::uint64_t line, std::uint64_t most, const char* what) const {
    throw DataError(TextLocation{path_, line, 0},
                    fmt::format("more than {} {}, too many for a file of {} bytes; if that is so, raise the limits "
                                "({})",
                                most, what, text_bytes_, setting("raise_limits")));
  }
  DotToken take() { return std::exchange(token_, scanner_.next()); }
  bool is_sign(char sign) const { return token_.kind == Kind::sign && token_.sign == sign; }
  bool is_keyword(std::string_view word) const {
    return token_.is_keyword && token_.text.size() == word.size() && equals_ignoring_case(token_.text, word);
  }
  bool take_sign(char sign) {
    if (!is_sign(sign)) return false;
    take();
    return true;
  }
  bool take_keyword(std::string_view word) {
    if (!is_keyword(word)) return false;
    take();
    return true;
  }
  DotToken take_id(const char* what) {
    if (token_.kind != Kind::id) expected(what);
    return take();
  }

  void read_braces() {
    if (scopes_.size() > kDeepestBraces)
      scanner_.fail(token_.line, fmt::format("nested deeper than {} levels", kDeepestBraces));
    if (!take_sign('{')) expected("{");
    while (!is_sign('}')) {
      if (token_.kind == Kind::end) expected("}");
      if (!take_sign(';')) read_statement();
    }
    take();
  }

  void read_statement() {
    for (const char* word : {"graph", "node", "edge"}) {
      if (!is_keyword(word)) continue;
      const std::uint64_t line = take().line;
      if (!is_sign('[')) expected("[");
      return set_defaults(word[0], read_attributes(), line);
    }
    const bool is_subgraph = is_sign('{') || is_keyword("subgraph");
    if (is_subgraph) return read_edges(read_subgraph(), std::nullopt);
    const DotToken name = take_id("a node, an edge or }");
    if (take_sign('=')) {  // a graph attribute
      take_id("a value");
      return;
    }
    const Nodes node = name_node(name);
    read_edges(node, node.front());
  }

  DotAttributes read_attributes() {
    DotAttributes attributes;
    while (take_sign('[')) {
      while (!take_sign(']')) {
        const DotText name = texts_.add(take_id("the name of an attribute or ]").text);
        attributes[name] = texts_.add(take_sign('=') ? take_id("a value").text : "true");
        if (!take_sign(',')) take_sign(';');
      }
    }
    return attributes;
  }

  void set_defaults(char of, const DotAttributes& attributes, std::uint64_t line) {
    if (of == 'g') return;
    std::shared_ptr<const DotAttributes>& defaults = of == 'n' ? scopes_.back().of_nodes : scopes_.back().of_edges;
    auto changed = std::make_shared<DotAttributes>(*defaults);
    for (const auto& [name, value] : attributes) (*changed)[name] = value;
    if (changed->size() > kMaxDefaults)
      scanner_.fail(line, fmt::format("more than {} attributes for all that follows", kMaxDefaults));
    defaults = std::move(changed);
  }

  /// Handles `name[:port[:compass]]`; ports only affect drawing and are ignored.
  Nodes name_node(const DotToken& name) {
    for (int i = 0; i < 2 && take_sign(':'); ++i) take_id("a port");
    const std::size_t before = names_.size();
    const Node node = names_.add(name.text);
    if (node == before) {
      lines_.push_back(name.line);
      set(node_values_, node, *scopes_.back().of_nodes);
    }
    scopes_.back().members.push_back(node);
    return {node};
  }

  Nodes read_subgraph() {
    if (take_keyword("subgraph") && token_.kind == Kind::id) take();
    scopes_.push_back({scopes_.back().of_nodes, scopes_.back().of_edges, {}});
    read_braces();
    Nodes members = std::move(scopes_.back().members);
    scopes_.pop_back();
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    Nodes& outside = scopes_.back().members;
    outside.insert(outside.end(), members.begin(), members.end());
    return members;
  }

  /// Parses what follows a node or a subgraph: edges to others, and attributes of these edges or of the node.
  void read_edges(Nodes sources, std::optional<Node> node) {
    std::vector<std::size_t> made;
    if (token_.kind == Kind::edge) node.reset();
    while (token_.kind == Kind::edge) {
      if ((token_.sign == '>') != is_directed_)
        scanner_.fail(token_.line,
                      is_directed_ ? "-- in a directed graph, expected ->" : "-> in an undirected graph, expected --");
      const std::uint64_t line = take().line;
      const bool is_subgraph = is_sign('{') || is_keyword("subgraph");
      Nodes targets = is_subgraph ? read_subgraph() : name_node(take_id("a node"));
      add_edges(sources, targets, line, made);
      sources = std::move(targets);
    }
    const DotAttributes attributes = read_attributes();
    for (const std::size_t edge : made) set(edge_values_, edge, attributes);
    if (node) set(node_values_, *node, attributes);
  }

  void add_edges(const Nodes& sources, const Nodes& targets, std::uint64_t line, std::vector<std::size_t>& made) {
    const std::uint64_t most = limits().edges(text_bytes_);
    if (sources.size() * targets.size() + edges_.size() > most) too_many(line, most, "edges");
    for (const Node source : by_name(sources))
      for (const Node target : by_name(targets)) {
        const std::size_t before = edges_.size(), edge = find_or_add(source, target, line);
        made.push_back(edge);
        if (edge == before) set(edge_values_, edge, *scopes_.back().of_edges);
      }
  }

  /// In a strict graph there is at most one edge per pair of nodes.
  std::size_t find_or_add(Node source, Node target, std::uint64_t line) {
    if (is_strict_) {
      const auto ends = is_directed_ ? std::pair(source, target) : std::minmax({source, target});
      const auto [place, is_new] = strict_edges_.emplace(ends, edges_.size());
      if (!is_new) return place->second;
    }
    edges_.push_back({source, target, line});
    return edges_.size() - 1;
  }

  Nodes by_name(Nodes nodes) const {
    std::sort(nodes.begin(), nodes.end(), [&](Node a, Node b) { return names_[a] < names_[b]; });
    return nodes;
  }

  void set(std::vector<Value>& values, std::size_t row, const DotAttributes& attributes) {
    if (values.size() + attributes.size() > limits().cells(text_bytes_))
      too_many(token_.line, limits().cells(text_bytes_), "values of attributes");
    for (const auto& [name, value] : attributes) values.push_back({static_cast<std::uint32_t>(row), name, value});
  }

  /// Nodes sorted by name, edges in file order; the attributes of each sorted by name.
  GraphFile build(const GraphFileOptions& options) {
    detail::GraphBuilder builder(path_, is_directed_ ? graph::Direction::directed : graph::Direction::undirected);
    builder.set_text_bytes(text_bytes_);
    Nodes order(names_.size());
    std::iota(order.begin(), order.end(), Node{0});
    std::vector<std::uint32_t> place(names_.size());
    for (const Node node : by_name(std::move(order))) place[node] = builder.add_node(names_[node], lines_[node]);
    for (Value& value : node_values_) value.row = place[value.row];
    for (const Edge& edge : edges_) builder.add_edge(place[edge.source], place[edge.target], edge.line);
    for (const Value& value : in_order(node_values_))
      builder.set_node(value.row, texts_[value.name], texts_[value.value], detail::ValueType::unknown);
    for (const Value& value : in_order(edge_values_))
      if (texts_[value.name] != "key")  // tells an edge from others between the same nodes
        builder.set_edge(value.row, texts_[value.name], texts_[value.value], detail::ValueType::unknown);
    return builder.finish(options);
  }

  std::vector<Value>& in_order(std::vector<Value>& values) const {
    std::stable_sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
      return a.row != b.row ? a.row < b.row : texts_[a.name] < texts_[b.name];
    });
    return values;
  }

  const std::string& path_;
  detail::DotScanner scanner_;
  std::uint64_t text_bytes_;
  DotToken token_;
  bool is_strict_ = false;
  bool is_directed_ = false;
  std::vector<DotScope> scopes_;
  graph::NodeNames names_;
  graph::NodeNames texts_;
  std::vector<std::uint64_t> lines_;  // where each node is first mentioned
  std::vector<Edge> edges_;
  std::map<std::pair<Node, Node>, std::size_t> strict_edges_;
  std::vector<Value> node_values_;
  std::vector<Value> edge_values_;
};

}  // namespace

GraphFile read_graphviz(const std::string& path, const GraphFileOptions& options) {
  const std::string text = read_text(path);
  return DotReader(text, path).read(options);
}

}  // namespace edgewise::io
