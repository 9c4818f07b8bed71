#include "edgewise/io/graphviz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graphviz.hpp>
#include <map>

#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

namespace dot = boost::detail::graph;

constexpr int kDeepestBrackets = 64;

/// Boost's reader recurses into braces and brackets.
void check_depth(std::string_view text, const std::string& file) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      depth += c == '{' || c == '[' || c == '<';
      depth -= (c == '}' || c == ']' || (c == '>' && i > 0 && text[i - 1] != '-')) && depth > 0;
    }
    if (depth > kDeepestBrackets)
      throw DataError(fmt::format("{}: nested deeper than {} levels", file, kDeepestBrackets));
  }
}

/// Takes what Boost's reader finds: nodes sorted by name, edges in the order of the file.
class GraphvizSink : public dot::mutate_graph {
 public:
  explicit GraphvizSink(detail::GraphBuilder& builder, bool is_directed)
      : builder_(builder), is_directed_(is_directed) {}

  bool is_directed() const override { return is_directed_; }
  void do_add_vertex(const dot::node_t& node) override { builder_.add_node(node); }
  void do_add_edge(const dot::edge_t& edge, const dot::node_t& source, const dot::node_t& target) override {
    edges_[edge] = builder_.edge_count();
    builder_.add_edge(*builder_.find(source), *builder_.find(target));
  }
  void set_node_property(const dot::id_t& key, const dot::node_t& node, const dot::id_t& value) override {
    builder_.set_node(*builder_.find(node), key, value, detail::ValueType::unknown);
  }
  void set_edge_property(const dot::id_t& key, const dot::edge_t& edge, const dot::id_t& value) override {
    builder_.set_edge(edges_.at(edge), key, value, detail::ValueType::unknown);
  }
  void set_graph_property(const dot::id_t&, const dot::id_t&) override {}
  void finish_building_graph() override {}

 private:
  detail::GraphBuilder& builder_;
  bool is_directed_;
  std::map<dot::edge_t, std::size_t> edges_;
};

GraphFile read(const std::string& text, const std::string& path, graph::Direction direction) {
  detail::GraphBuilder builder(path, direction);
  GraphvizSink sink(builder, direction == graph::Direction::directed);
  dot::read_graphviz_new(text, &sink);
  return builder.finish();
}

std::string one_line(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

}  // namespace

GraphFile read_graphviz(const std::string& path) {
  const std::string text = read_text(path);
  check_depth(text, path);
  try {
    // The reader wants to know the direction and refuses the other one before it gives anything.
    try {
      return read(text, path, graph::Direction::directed);
    } catch (const boost::undirected_graph_error&) {
      return read(text, path, graph::Direction::undirected);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: not valid DOT: {}", path, one_line(error.what())));
  }
}

}  // namespace edgewise::io
