#include "edgewise/io/detail/json_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {
namespace {

/// Calls `set(name, text, type)` for every attribute.
template <class Set>
void each_member(const json::Value& object, std::initializer_list<std::string_view> structural, GraphBuilder& builder,
                 Set&& set) {
  for (const auto& [name, value] : object.as_object()) {
    if (std::find(structural.begin(), structural.end(), name) != structural.end() || value.is_null()) continue;
    if (value.is_string())
      set(name, value.as_string(), ValueType::text);
    else if (value.is_bool())
      set(name, value.as_bool() ? "true" : "false", ValueType::text);
    else if (value.is_number())
      set(name, value.as_spelt(), ValueType::unknown);
    else
      builder.note_unused(name);
  }
}

}  // namespace

void fail(const json::Value& value, const std::string& what) {
  throw DataError(fmt::format("{}: {}", value.path(), what));
}

std::string node_name(const json::Value& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_number()) return value.as_spelt();
  fail(value, "expected a node's id, a string or a number");
}

graph::Node add_node(const json::Value& node, const std::string& name, GraphBuilder& builder) {
  if (builder.find(name)) fail(node, fmt::format("node {} appears here a second time", quote(name)));
  return builder.add_node(name);
}

graph::Direction direction_of(const json::Value& root) {
  return root.get("directed", false) ? graph::Direction::directed : graph::Direction::undirected;
}

void set_node(graph::Node node, const json::Value& members, std::initializer_list<std::string_view> structural,
              GraphBuilder& builder) {
  each_member(members, structural, builder, [&](const std::string& name, std::string_view text, ValueType type) {
    builder.set_node(node, name, text, type);
  });
}

void set_last_edge(const json::Value& members, std::initializer_list<std::string_view> structural,
                   GraphBuilder& builder) {
  const std::size_t edge = builder.edge_count() - 1;
  each_member(members, structural, builder, [&](const std::string& name, std::string_view text, ValueType type) {
    builder.set_edge(edge, name, text, type);
  });
}

}  // namespace edgewise::io::detail
