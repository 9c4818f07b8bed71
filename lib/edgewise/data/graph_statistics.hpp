#pragma once

#include <span>

#include "edgewise/data/node_data.hpp"

/// @file
/// Graph features that ignore the edges. They feed the baseline that every graph model should beat (Errica et al. 2020,
/// "A Fair Comparison of Graph Neural Networks for Graph Classification").
namespace edgewise::data {

/// The sum of the node features of each graph; graph g has nodes offsets[g] ... offsets[g + 1] - 1. [graphs, features],
/// dense or sparse like the node features, with the same names. For one-hot labels these are counts, such as the atoms
/// of each element in a molecule. Zeros for an empty graph. Sums are accumulated in double and in node order. O(nodes *
/// features), or O(non-zeros). Throws UsageError unless the offsets ascend from 0 to the number of nodes.
Features summed_node_features(const Features& nodes, std::span<const graph::Node> offsets);

/// [n | sum | mean | deviation | maximum | minimum] of each column over the n nodes of each graph, for models that take
/// a graph as one row, such as trees: [graphs, 1 + 5 columns]. Deviations divide by n. Accumulated in double and in
/// node order: bitwise identical at any number of threads. Zeros for an empty graph. Throws UsageError if there would
/// be more than 2^25 entries, and unless the offsets ascend from 0 to the number of nodes.
Matrix node_statistics(const SparseMatrix& nodes, std::span<const graph::Node> offsets);

}  // namespace edgewise::data
