#pragma once

#include <span>

#include "edgewise/data/node_data.hpp"

/// @file
/// What is known of a graph when its edges are not looked at: the features of the baseline that every graph model has
/// to beat (Errica et al. 2020, "A Fair Comparison of Graph Neural Networks for Graph Classification").
namespace edgewise::data {

/// The sum of the features of the nodes of each graph, which has the nodes offsets[g] ... offsets[g + 1] - 1:
/// [graphs, features], dense or sparse as those of the nodes, with their names. Of one-hot labels these are counts,
/// such as the atoms of each element in a molecule. Zeros for an empty graph. Each sum is made in double and in node
/// order. O(nodes * features), or of the non-zeros.
Features summed_node_features(const Features& nodes, std::span<const graph::Node> offsets);

/// [n | sum | mean | deviation | maximum | minimum] of each column over the n nodes of each graph, for a model that
/// takes a graph as one row, such as trees: [graphs, 1 + 5 columns]; deviations divide by n. Made in double and in node
/// order: the same bits at any number of threads. Zeros for an empty graph. Throws UsageError where that has more than
/// 2^25 entries.
Matrix node_statistics(const SparseMatrix& nodes, std::span<const graph::Node> offsets);

}  // namespace edgewise::data
