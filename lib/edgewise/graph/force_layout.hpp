#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::graph {

/// Where to draw the nodes, so that edges are short and nodes apart: [nodes, 2], in [0, 1]. Directions, repeated edges
/// and self loops do not matter.
///
/// Starts from the two principal components of the distances in steps to up to 50 nodes far from one another (Harel and
/// Koren 2002, "Graph Drawing by High-Dimensional Embedding"), and then lets Boost.Graph move the nodes by the forces
/// of Fruchterman and Reingold (1991, "Graph Drawing by Force-Directed Placement"), where nodes far apart do not repel
/// each other. The same graph gives the same bits. Some 0.5 s for 2,000 nodes.
Matrix force_layout(const Graph& graph);

/// Each column onto [0, 1]; one without different values becomes 0.5.
void fill_unit_square(Matrix& places);

}  // namespace edgewise::graph
