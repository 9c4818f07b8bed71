#pragma once

#include "edgewise/data/graph_data.hpp"

namespace edgewise::data {

/// Moves rows of nodes to where `add_bond_nodes` puts the nodes; rows of bonds are zeros.
Matrix with_bond_rows(const Matrix& columns, const GraphData& molecules);

/// Makes a node of each bond, so that bonds can be items: those of a molecule follow its atoms, in their order, and
/// have an edge to both of their atoms. The bonds themselves stay edges. An atom's features are followed by zeros;
/// those of a bond's node are zeros, 1 in the column "is a bond", and the features of its edge. The new edges have
/// zeros, and 1 in the column "end of a bond". Nodes are called "1:0" (the first atom of the molecule called 1) and
/// "1:0-1" (the bond between its first two atoms). Labels and splits are unchanged.
GraphData add_bond_nodes(const GraphData& molecules);

/// The same names for the atoms alone.
graph::NodeNames names_of_atoms(const GraphData& molecules);

}  // namespace edgewise::data
