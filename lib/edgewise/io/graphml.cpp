#include "edgewise/io/graphml.hpp"

#include <fmt/format.h>

#include <boost/graph/graphml.hpp>
#include <sstream>

#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

/// What Boost's reader does not tell: ids, lines, and the direction, which it wants to know beforehand.
struct Outline {
  std::vector<std::string> ids;
  std::vector<std::uint64_t> lines;
  graph::Direction direction = graph::Direction::undirected;
};

Outline read_outline(const std::string& text, const std::string& file) {
  Outline outline;
  graph::NodeNames declared;
  struct Endpoint {
    std::string id;
    std::uint64_t line;
  };
  std::vector<Endpoint> endpoints;
  std::size_t graphs = 0;
  const auto required = [&](const detail::XmlElement& element, std::string_view name) {
    if (const std::string* value = element.find(name)) return *value;
    throw DataError(TextLocation{file, element.line, 0},
                    fmt::format("<{}> lacks its attribute {}", element.name, quote(name)));
  };
  detail::scan_xml(text, file, [&](const detail::XmlElement& element) {
    if (element.name == "graph") {
      if (++graphs > 1)
        throw DataError(TextLocation{file, element.line, 0},
                        "a second graph stands here; one graph a file is expected");
      if (required(element, "edgedefault") == "directed") outline.direction = graph::Direction::directed;
    } else if (element.name == "node") {
      outline.ids.push_back(required(element, "id"));
      outline.lines.push_back(element.line);
      // Boost's reader would take a repeated node for the same one.
      if (declared.add(outline.ids.back()) + std::size_t{1} != outline.ids.size())
        throw DataError(TextLocation{file, element.line, 0},
                        fmt::format("node {} stands here a second time", quote(outline.ids.back())));
    } else if (element.name == "edge") {
      for (const char* name : {"source", "target"}) endpoints.push_back({required(element, name), element.line});
    }
  });
  if (graphs == 0) throw DataError(fmt::format("{}: holds no <graph>; is it GraphML?", file));
  for (const Endpoint& endpoint : endpoints)
    if (!declared.find(endpoint.id))
      throw DataError(TextLocation{file, endpoint.line, 0},
                      fmt::format("unknown node {}: no <node> declares it", quote(endpoint.id)));
  return outline;
}

detail::ValueType value_type(const std::string& type) {
  return type == "boolean" || type == "string" ? detail::ValueType::text : detail::ValueType::number;
}

/// Takes what Boost's reader finds, vertices in the order of the file.
class GraphmlSink : public boost::mutate_graph {
 public:
  GraphmlSink(const Outline& outline, detail::GraphBuilder& builder) : outline_(outline), builder_(builder) {}

  bool is_directed() const override { return outline_.direction == graph::Direction::directed; }
  boost::any do_add_vertex() override {
    const std::size_t i = nodes_++;
    return builder_.add_node(outline_.ids.at(i), outline_.lines.at(i));
  }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    builder_.add_edge(boost::any_cast<graph::Node>(source), boost::any_cast<graph::Node>(target));
    return {boost::any(builder_.edge_count() - 1), true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string& name, boost::any vertex, const std::string& value,
                           const std::string& type) override {
    if (!name.empty()) builder_.set_node(boost::any_cast<graph::Node>(vertex), name, value, value_type(type));
  }
  void set_edge_property(const std::string& name, boost::any edge, const std::string& value,
                         const std::string& type) override {
    if (!name.empty()) builder_.set_edge(boost::any_cast<std::size_t>(edge), name, value, value_type(type));
  }

 private:
  const Outline& outline_;
  detail::GraphBuilder& builder_;
  std::size_t nodes_ = 0;
};

}  // namespace

GraphFile read_graphml(const std::string& path) {
  const std::string text = read_text(path);
  const Outline outline = read_outline(text, path);
  detail::GraphBuilder builder(path, outline.direction);
  GraphmlSink sink(outline, builder);
  try {
    std::istringstream in(text);
    boost::read_graphml(in, sink, 0);
  } catch (const Error&) {
    throw;
  } catch (const boost::directed_graph_error&) {
    throw DataError(fmt::format("{}: holds a directed edge in an undirected graph", path));
  } catch (const boost::undirected_graph_error&) {
    throw DataError(fmt::format("{}: holds an undirected edge in a directed graph", path));
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: not valid GraphML: {}", path, error.what()));
  }
  return builder.finish();
}

}  // namespace edgewise::io
