#pragma once

#include <string>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io {

/// Reads GML as in M. E. J. Newman's network data:
/// graph [ directed 0 node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ].
/// Nodes are called by their labels where each has one and no two are the same, else by their ids (the labels are then
/// a column). Strings may hold XML entities. Throws DataError with line and column.
GraphFile read_gml(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
