#pragma once

#include <string>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io {

/// Reads GraphML with one graph per file. Nodes are named by their XML ids, in file order. Attributes of type boolean
/// and string are categorical. Throws DataError for malformed XML, several graphs in one file, a repeated node, an edge
/// to an undeclared node, a mix of directed and undirected edges, and a value that does not match its type.
GraphFile read_graphml(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
