#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads the simple interaction format of Cytoscape (.sif): lines "a pp b c", a node, a relation and nodes that it is
/// related to, or a node alone. Fields are separated by blanks, or by tabs alone from the first line on that has some.
/// The relation is the attribute "interaction" of the edges. The graph is undirected. Throws DataError with the line
/// for two fields.
GraphFile read_sif(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
