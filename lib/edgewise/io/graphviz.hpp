#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads a Graphviz DOT file. Nodes are sorted by name; defaults and subgraphs are applied as in Graphviz, so `a -- {b
/// c}` makes an edge to each. The attribute "key" of an edge, which tells it from others between the same nodes, is not
/// used. Throws DataError for malformed text.
GraphFile read_graphviz(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
