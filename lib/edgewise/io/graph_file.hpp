#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"

namespace edgewise::io {

/// Reads GraphML, GEXF, GML, DOT, JSON, Matrix Market, Pajek, SIF, LGL, NCOL, adjacency lists, METIS, and the tables
/// that Neo4j and Cytoscape export, plain or gzip. The format follows from the extension, with or without .gz, or else
/// from the first bytes of a regular file. Throws UsageError for a file of no such format, and DataError for one that
/// cannot be read, for a requested weight or feature that no edge has, and for requested names that a node lacks or
/// shares with another.
GraphFile read_graph_file(const std::string& path, const GraphFileOptions& options = {});

/// Whether `read_graph_file` has a reader for the file, from its extension or its first bytes. Otherwise it may be an
/// edge list. Throws DataError for a file that cannot be read.
bool is_graph_file(const std::string& path);

}  // namespace edgewise::io
