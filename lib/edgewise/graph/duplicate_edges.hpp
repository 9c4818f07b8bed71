#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/graph/graph.hpp"

/// @file
/// Edges that are listed several times between the same nodes; in an undirected graph, in either direction.
namespace edgewise::graph {

/// How the edges of a pair become one.
enum class Combine { sum, mean, max, min, count };

/// The columns of EdgeList::features with one feature: a number, or a 0/1 column per category.
struct FeatureColumns {
  Eigen::Index first = 0;
  Eigen::Index count = 1;
  bool is_numeric = true;
};

/// Gives the edges of each pair the weight that the rule makes of all of them, and the first one the features, for
/// DuplicateEdges::keep_first to drop the others. Sums and means are accumulated in double, in the order of the edges.
/// - Weights follow the rule; with `count`, the weight is the number of edges. Without weights each edge weighs 1, so
///   `sum` and `count` make weights and the others leave the list without.
/// - Numeric features follow the rule, too, but with `count` they are averaged.
/// - Of a categorical feature the most frequent category is taken, the first of equally frequent ones. Edges without
///   any category do not vote.
/// Returns the first edge of each pair, in ascending order. O(edges log edges).
std::vector<EdgeIndex> combine_duplicates(EdgeList& edges, Direction direction, Combine rule,
                                          std::span<const FeatureColumns> features);

/// The weights of the edges that were not dropped, in the order of the edges; empty if there are none.
std::vector<float> weights_in_use(const Graph& graph);

/// Pairs with edges that differ in weight or features.
struct DifferingDuplicates {
  std::uint64_t pairs = 0;
  bool have_weights = false;   ///< Some pair has different weights.
  bool have_features = false;  ///< Some pair has different features.
  EdgeIndex first = 0;         ///< The pair whose first edge comes first: that edge,
  EdgeIndex other = 0;         ///< and the first one that differs from it.
};

/// O(edges log edges).
DifferingDuplicates differing_duplicates(const EdgeList& edges, Direction direction);

}  // namespace edgewise::graph
