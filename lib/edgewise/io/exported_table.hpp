#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads a table in which Neo4j exports nodes and relationships together (apoc.export.csv.all): a row with a "_start"
/// and an "_end" is an edge, any other a node with its "_id". The other columns are attributes, among them "_labels"
/// (the kind of a node) and "_type" (that of an edge). The graph is directed. Throws DataError with the line for a row
/// without a node, a repeated node, and an edge to an unknown one.
GraphFile read_neo4j_export(const std::string& path, const GraphFileOptions& options = {});

/// Reads the table of edges that Cytoscape exports. The endpoints of an edge are in the column "shared name" (or
/// "name"), as "A (pp) B" with the "interaction" pp. The other columns are attributes of the edges, except Cytoscape's
/// own (SUID, names, selected). The graph is undirected. Throws DataError with the line for a name that does not split.
GraphFile read_cytoscape_edges(const std::string& path, const GraphFileOptions& options = {});

/// Whether the columns are those of the one or the other.
bool is_neo4j_export(const std::vector<std::string>& columns);
bool is_cytoscape_edges(const std::vector<std::string>& columns);

}  // namespace edgewise::io
