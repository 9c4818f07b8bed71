#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "edgewise/core/json.hpp"
#include "edgewise/io/detail/cytoscape_json.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/json_graph.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using detail::fail;
using detail::GraphBuilder;
using detail::node_name;

/// What names the nodes: "id", or "name" if no node has an id and the names are unique (D3); otherwise their positions.
std::string member_with_names(const json::Array& nodes) {
  const auto has_id = [](const json::Value& node) { return node.find("id") != nullptr; };
  if (nodes.empty() || std::ranges::any_of(nodes, has_id)) return "id";
  graph::NodeNames names;
  for (const json::Value& node : nodes) {
    const json::Value* name = node.find("name");
    if (name == nullptr || !(name->is_string() || name->is_number())) return "";
    names.add(node_name(*name));
  }
  return names.size() == nodes.size() ? "name" : "";
}

void add_nodes_of(const json::Array& nodes, GraphBuilder& builder) {
  const std::string member = member_with_names(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = member.empty() ? fmt::format("{}", i) : node_name(nodes[i].at(member));
    const graph::Node node = detail::add_node(nodes[i], name, builder);
    detail::set_node(node, nodes[i], {member}, builder);
  }
}

/// The node at this position, if the value is one.
std::optional<graph::Node> node_at(const json::Value& value, std::size_t count) {
  if (!value.is_integer() || value.as_integer() < 0) return std::nullopt;
  const auto position = static_cast<std::uint64_t>(value.as_integer());
  return position < count ? std::optional(static_cast<graph::Node>(position)) : std::nullopt;
}

/// Whether edges refer to nodes by position, as older D3 and NetworkX have it: all do, and no endpoint is a name.
bool are_positions(const json::Array& edges, std::size_t nodes, const GraphBuilder& builder) {
  return std::ranges::all_of(edges, [&](const json::Value& edge) {
    for (const char* end : {"source", "target"}) {
      const json::Value& value = edge.at(end);
      if (!node_at(value, nodes) || builder.find(node_name(value))) return false;
    }
    return true;
  });
}

void read_node_link(const json::Value& root, const json::Value& edges, GraphBuilder& builder) {
  const json::Array& nodes = root.at("nodes").as_array();
  add_nodes_of(nodes, builder);
  const bool by_position = are_positions(edges.as_array(), nodes.size(), builder);
  const auto endpoint = [&](const json::Value& edge, std::string_view which) {
    const json::Value& value = edge.at(which);
    if (by_position) return *node_at(value, nodes.size());
    const std::string name = node_name(value);
    if (const auto node = builder.find(name)) return *node;
    fail(value, fmt::format("unknown node {}: \"nodes\" does not list it", quote(name)));
  };
  for (const json::Value& edge : edges.as_array()) {
    const graph::Node source = endpoint(edge, "source");
    builder.add_edge(source, endpoint(edge, "target"));
    detail::set_last_edge(edge, {"source", "target", "key"}, builder);
  }
}

/// One list of neighbours for each node. In an undirected graph both ends list an edge; the first of them counts.
void read_adjacency(const json::Value& root, const json::Value& lists, GraphBuilder& builder) {
  const json::Array& nodes = root.at("nodes").as_array();
  add_nodes_of(nodes, builder);
  const json::Array& rows = lists.as_array();
  if (rows.size() != nodes.size())
    fail(lists, fmt::format("expected {} lists, one for each node, found {}", nodes.size(), rows.size()));
  const bool is_undirected = detail::direction_of(root) == graph::Direction::undirected;
  for (graph::Node source = 0; source < rows.size(); ++source) {
    for (const json::Value& neighbour : rows[source].as_array()) {
      const std::string name = node_name(neighbour.at("id"));
      const auto target = builder.find(name);
      if (!target) fail(neighbour, fmt::format("unknown node {}: \"nodes\" does not list it", quote(name)));
      if (is_undirected && *target < source) continue;
      builder.add_edge(source, *target);
      detail::set_last_edge(neighbour, {"id", "key"}, builder);
    }
  }
}

GraphFile read(const json::Value& root, const std::string& path, std::uint64_t text_bytes,
               const GraphFileOptions& options) {
  const bool is_elements = root.is_array() && !root.as_array().empty();  // a list of Cytoscape.js
  GraphBuilder builder(path, is_elements ? graph::Direction::undirected : detail::direction_of(root));
  builder.set_text_bytes(text_bytes);
  const json::Value* elements = is_elements ? &root : root.find("elements");
  if (elements != nullptr) {
    detail::read_cytoscape_elements(*elements, builder);
  } else if (const json::Value* lists = root.find("adjacency")) {
    builder.set_edge_list("edges");
    read_adjacency(root, *lists, builder);
  } else {
    const char* const edge_list = root.find("links") != nullptr ? "links" : "edges";
    const json::Value* edges = root.find(edge_list);
    if (edges == nullptr)
      fail(root,
           "expected node-link JSON with the members \"nodes\" and \"links\" (or \"edges\"), Cytoscape.js with "
           "\"elements\", or \"nodes\" and \"adjacency\"");
    builder.set_edge_list(edge_list);
    read_node_link(root, *edges, builder);
  }
  GraphFile file = builder.finish(options);
  if (elements != nullptr)
    for (const char* name : {"name", "value", "shared_name", "label"}) detail::drop_repeated_names(file, name);
  return file;
}

}  // namespace

GraphFile read_node_link_json(const std::string& path, const GraphFileOptions& options) {
  std::uint64_t text_bytes = 0;
  const json::Value root = [&] {
    const std::string text = read_text(path);
    text_bytes = text.size();
    return json::parse(text, path, json::Numbers::spelt);
  }();
  try {
    return read(root, path, text_bytes, options);
  } catch (const UsageError& error) {  // thrown by the typed getters; here the data is wrong
    throw DataError(error.what());
  }
}

}  // namespace edgewise::io
