#include "edgewise/io/node_link_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/json.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

[[noreturn]] void fail(const json::Value& value, const std::string& what) {
  throw DataError(fmt::format("{}: {}", value.path(), what));
}

std::string node_name(const json::Value& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_number()) return value.as_spelt();
  fail(value, "expected a node's id, a string or a number");
}

/// Calls `set(name, text, type)` for every attribute except those in `structural`.
template <class Set>
void each_attribute(const json::Value& object, std::initializer_list<std::string_view> structural,
                    detail::GraphBuilder& builder, Set&& set) {
  for (const auto& [name, value] : object.as_object()) {
    if (std::find(structural.begin(), structural.end(), name) != structural.end() || value.is_null()) continue;
    if (value.is_string())
      set(name, value.as_string(), detail::ValueType::text);
    else if (value.is_bool())
      set(name, value.as_bool() ? "true" : "false", detail::ValueType::text);
    else if (value.is_number())
      set(name, value.as_spelt(), detail::ValueType::unknown);
    else
      builder.note_unused(name);
  }
}

graph::Node endpoint(const json::Value& edge, std::string_view which, const detail::GraphBuilder& builder) {
  const json::Value& value = edge.at(which);
  const std::string name = node_name(value);
  if (const auto node = builder.find(name)) return *node;
  fail(value, fmt::format("unknown node {}: \"nodes\" does not list it", quote(name)));
}

GraphFile read(const json::Value& root, const std::string& path, std::uint64_t text_bytes,
               const GraphFileOptions& options) {
  const char* const edge_list = root.find("links") != nullptr ? "links" : "edges";
  const json::Value* edges = root.find(edge_list);
  if (edges == nullptr) fail(root, "expected node-link JSON with the members \"nodes\" and \"links\" (or \"edges\")");
  const bool is_directed = root.get("directed", false);
  detail::GraphBuilder builder(path, is_directed ? graph::Direction::directed : graph::Direction::undirected);
  builder.set_text_bytes(text_bytes);
  builder.set_edge_list(edge_list);
  for (const json::Value& node : root.at("nodes").as_array()) {
    const std::string name = node_name(node.at("id"));
    if (builder.find(name)) fail(node, fmt::format("node {} appears here a second time", quote(name)));
    const graph::Node index = builder.add_node(name);
    each_attribute(node, {"id"}, builder,
                   [&](const std::string& attribute, std::string_view text, detail::ValueType type) {
                     builder.set_node(index, attribute, text, type);
                   });
  }
  for (const json::Value& edge : edges->as_array()) {
    const graph::Node source = endpoint(edge, "source", builder);
    builder.add_edge(source, endpoint(edge, "target", builder));
    const std::size_t index = builder.edge_count() - 1;
    each_attribute(edge, {"source", "target", "key"}, builder,
                   [&](const std::string& attribute, std::string_view text, detail::ValueType type) {
                     builder.set_edge(index, attribute, text, type);
                   });
  }
  return builder.finish(options);
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
