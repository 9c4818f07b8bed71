#pragma once

#include "edgewise/core/json.hpp"
#include "edgewise/io/detail/graph_builder.hpp"

namespace edgewise::io::detail {

/// Reads the member "elements" of Cytoscape.js, either {"nodes": [...], "edges": [...]} or a list of both. Nodes are
/// named by their "id"; an element without a "group" is an edge if it has a "source".
void read_cytoscape_elements(const json::Value& elements, GraphBuilder& builder);

}  // namespace edgewise::io::detail
