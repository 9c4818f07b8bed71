#pragma once

#include "edgewise/data/graph_data.hpp"

/// @file
/// What is known of a graph when its edges are not looked at: the features of the baseline that every graph model has to
/// beat (Errica et al. 2020, "A Fair Comparison of Graph Neural Networks for Graph Classification").
namespace edgewise::data {

/// The sum of the node features of each graph: [graphs, features], dense or sparse as those of the nodes, with their
/// names. Of one-hot labels these are counts, such as the atoms of each element in a molecule. Zeros for an empty graph.
/// Each sum is made in double and in node order. O(nodes * features), or of the non-zeros.
Features summed_node_features(const GraphData& data);

}  // namespace edgewise::data
