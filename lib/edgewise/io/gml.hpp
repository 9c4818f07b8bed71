#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads GML as in M. E. J. Newman's network data:
/// graph [ directed 0 node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ].
/// Nodes are named by their labels if all have one and they are distinct, else by their ids (the labels then become a
/// column). Strings may contain XML entities. Attributes that a node or an edge has more than once are lists and not
/// used, nor is the "key" of an edge if the graph is a multigraph. Throws DataError with line and column.
GraphFile read_gml(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
