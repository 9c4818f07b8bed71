#pragma once

#include <string>
#include <string_view>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads an edge list as `networkx.write_edgelist` writes it: "a b {'weight': 4, 'kind': 'x'}", with the attributes of
/// the edge as a Python dictionary; lines with # are comments. Texts and truth values are categorical; None, lists and
/// the like are not used. The graph is undirected, as the file does not say. Throws DataError with the line for
/// anything else.
GraphFile read_python_edge_list(const std::string& path, const GraphFileOptions& options = {});

/// Whether a line is an edge with a dictionary.
bool is_python_edge(std::string_view line);

}  // namespace edgewise::io
