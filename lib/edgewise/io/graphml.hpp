#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads GraphML with one graph per file, as NetworkX, igraph, graph-tool, Gephi, Cytoscape and yEd write it. Nodes are
/// named by their XML ids, in file order; nodes and edges of nested graphs (yEd's groups) are part of the graph, and
/// the groups are nodes. Attributes of type boolean and string are categorical, the texts of yEd's labels become the
/// attribute "label", and lists are not used. Numbers may be hexadecimal; NaN and infinities are missing. Throws
/// DataError for malformed XML, several graphs in one file, a repeated node, an edge to an undeclared node, a
/// hyperedge, and a value that does not match its type.
GraphFile read_graphml(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
