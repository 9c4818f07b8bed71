#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads the formats of the Large Graph Layout, as igraph writes them; both are undirected. The weight is the
/// attribute "weight", also called by its position, "3".
/// .lgl: a line "# a", then "b" or "b 0.5" for each neighbour of a. A node without neighbours has only the first.
/// Throws DataError with the line for a neighbour before the first node, and for other numbers of fields.
GraphFile read_lgl(const std::string& path, const GraphFileOptions& options = {});
/// .ncol: an edge list "a b" or "a b 0.5" without a header.
GraphFile read_ncol(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
