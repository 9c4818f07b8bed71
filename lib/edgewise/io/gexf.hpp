#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads GEXF, as Gephi, NetworkX and others write it. Nodes are named by their ids; a label is the attribute "label"
/// unless it only repeats the names. Nested nodes belong to the graph; the module viz is ignored. A dynamic graph is
/// read as that of all times, with the last value of each attribute, and a note says so. Throws DataError with the line
/// for malformed XML, a repeated node, an edge to an undeclared node, a value of an undeclared attribute, and a value
/// that does not match its type.
GraphFile read_gexf(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
