#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "edgewise/core/json.hpp"
#include "edgewise/io/detail/graph_builder.hpp"

namespace edgewise::io::detail {

/// Throws DataError that names the value by its path.
[[noreturn]] void fail(const json::Value& value, const std::string& what);

/// A node's id, a string or a number as it is spelt.
std::string node_name(const json::Value& value);

graph::Node add_node(const json::Value& node, const std::string& name, GraphBuilder& builder);

/// Whether the graph says that it is directed.
graph::Direction direction_of(const json::Value& root);

/// Sets every member except those in `structural` and nulls; lists and objects are noted as unused.
void set_node(graph::Node node, const json::Value& members, std::initializer_list<std::string_view> structural,
              GraphBuilder& builder);
/// The same for the edge added last.
void set_last_edge(const json::Value& members, std::initializer_list<std::string_view> structural,
                   GraphBuilder& builder);

}  // namespace edgewise::io::detail
