#pragma once

#include <string>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io {

/// Reads a Graphviz DOT file by Boost's reader. Nodes come sorted by name; defaults and subgraphs are applied as
/// Graphviz does.
/// Written by hand, `a -- {b c}` has to be `a -- subgraph {b c}` for this reader. Throws DataError for malformed text.
GraphFile read_graphviz(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
