#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads an adjacency list as NetworkX writes it (.adjlist): a line "a b c" has the edges from a to b and to c, "a" is
/// a node alone; lines with # are comments. The graph is undirected.
GraphFile read_adjacency_list(const std::string& path, const GraphFileOptions& options = {});

/// Reads a graph of METIS (.graph, .metis): "nodes edges [format [weights of a node]]", then a line with the neighbours
/// of each node, from 1; % begins a comment. Weights of edges are the attribute "weight"; those of nodes are "weight",
/// or "weight_1", "weight_2" and so on, and their sizes "size". Throws DataError with the line for a format it cannot
/// have, a line too many or too few, a neighbour out of range, and a number of edges other than the one stated.
GraphFile read_metis(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
