#include "edgewise/io/detail/cytoscape_json.hpp"

#include <fmt/format.h>

#include "edgewise/io/detail/json_graph.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {
namespace {

void add_cytoscape_node(const json::Value& element, GraphBuilder& builder) {
  const json::Value& data = element.at("data");
  const graph::Node node = add_node(data, node_name(data.at("id")), builder);
  set_node(node, data, {"id"}, builder);
}

void add_cytoscape_edge(const json::Value& element, GraphBuilder& builder) {
  const json::Value& data = element.at("data");
  const auto endpoint = [&](std::string_view which) {
    const json::Value& value = data.at(which);
    const std::string name = node_name(value);
    if (const auto node = builder.find(name)) return *node;
    fail(value, fmt::format("unknown node {}: no node has this id", quote(name)));
  };
  const graph::Node source = endpoint("source");
  builder.add_edge(source, endpoint("target"));
  set_last_edge(data, {"source", "target", "id", "key"}, builder);
}

bool is_edge(const json::Value& element) {
  const std::string group = element.get("group", "");
  if (!group.empty() && group != "nodes" && group != "edges")
    fail(element.at("group"), "expected \"nodes\" or \"edges\"");
  return group.empty() ? element.at("data").find("source") != nullptr : group == "edges";
}

}  // namespace

void read_cytoscape_elements(const json::Value& elements, GraphBuilder& builder) {
  builder.set_kind_of_edges("interaction");
  if (elements.is_array()) {
    builder.set_edge_list("elements");
    for (const json::Value& element : elements.as_array())
      if (!is_edge(element)) add_cytoscape_node(element, builder);
    for (const json::Value& element : elements.as_array())
      if (is_edge(element)) add_cytoscape_edge(element, builder);
    return;
  }
  builder.set_edge_list("elements.edges");
  if (const json::Value* nodes = elements.find("nodes"))
    for (const json::Value& node : nodes->as_array()) add_cytoscape_node(node, builder);
  if (const json::Value* edges = elements.find("edges"))
    for (const json::Value& edge : edges->as_array()) add_cytoscape_edge(edge, builder);
}

}  // namespace edgewise::io::detail
