#pragma once

#include <string>

#include "edgewise/io/graph_file.hpp"

namespace edgewise::io {

/// Reads node-link JSON as NetworkX writes it:
/// {"directed": false, "nodes": [{"id": ...}, ...], "links": [{"source": ..., "target": ...}, ...]},
/// with "links" or "edges". Ids are strings or numbers, which are names as they are spelt. Booleans and strings are
/// categorical attributes; lists and objects are ignored. Throws DataError naming the location in the document.
GraphFile read_node_link_json(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
