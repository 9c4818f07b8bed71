#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads a network of Pajek (.net): *Vertices, then any of *Edges, *Arcs, *Edgeslist, *Arcslist and *Matrix; a third
/// field of an edge is the attribute "weight". Nodes are named by their labels if all have one and these are unique,
/// else by their numbers. Pairs of a name and a value, as NetworkX writes them, are attributes; positions, shapes,
/// colours and fonts are skipped, and so are partitions, vectors and times, with a note. Several relations ("*Arcs :2
/// "likes"") become the attribute "relation". Throws DataError with the line for a missing *Vertices, a second network,
/// a vertex or an endpoint out of range, a repeated vertex, and a row of the wrong length in a matrix.
GraphFile read_pajek(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
