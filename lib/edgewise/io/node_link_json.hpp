#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads node-link JSON as NetworkX writes it:
/// {"directed": false, "nodes": [{"id": ...}, ...], "links": [{"source": ..., "target": ...}, ...]},
/// with "links" or "edges". Ids are strings or numbers, which are names as they are spelt. Booleans and strings are
/// categorical attributes; lists and objects are ignored; null, NaN and Infinity are missing. Also reads
/// - nodes without ids, as D3 has them: they are named by "name" if all have one and these are unique, else by their
///   positions from 0;
/// - edges by position, if all endpoints are positions of nodes and none is the id of a node;
/// - {"nodes": [...], "adjacency": [[{"id": ...}, ...], ...]}, as `networkx.adjacency_data` writes it;
/// - {"elements": {"nodes": [{"data": {"id": ...}}], "edges": [{"data": {"source": ..., "target": ...}}]}} or the list
///   of elements alone, as Cytoscape and Cytoscape.js write it.
/// Throws DataError naming the location in the document.
GraphFile read_node_link_json(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
