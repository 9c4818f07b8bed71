#pragma once

#include <string>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io {

/// Reads GraphML by Boost's reader, one graph a file. Nodes are called by their XML ids, in the order of the file.
/// Attributes of type boolean and string are categorical. Throws DataError for malformed XML, several graphs in one
/// file, a node twice, an edge to a node that is not declared, edges of both directions, and a value that is not of its
/// type.
GraphFile read_graphml(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
