#pragma once

#include <cstddef>
#include <vector>

#include "edgewise/train/use/link_prediction.hpp"

/// @file
/// The likeliest new ties of nodes, without a look at all pairs.
namespace edgewise::train {

struct SuggestionOptions {
  std::size_t top = 10;  ///< For each node.
  /// The nodes to suggest ties to; empty: all.
  std::vector<graph::Node> nodes = {};
  /// Nodes looked at for each node: the nearest in two steps, by resource allocation (Zhou et al. 2009), and as many by
  /// the product of their rows. If ties lead from one kind of nodes to another, the nearest in three steps, over as
  /// many nodes of its own kind, and as many of the largest degree. If no more nodes can be suggested than twice this,
  /// all are looked at.
  std::size_t candidates = 200;
};

/// Suggestions, node by node, likeliest first, none of which is a known tie, and what was looked at for them.
struct Suggestions {
  LinkTable table;
  bool are_all_looked_at = false;
  /// The share of some known ties, each left out in its turn, whose other end is among the candidates; NaN if all nodes
  /// are looked at.
  double recall = 0;
  std::size_t judged = 0;  ///< The number of these ties.
};

/// Of a directed network and of a relation between kinds ties lead from the node. In a network of nodes that have no
/// tie at all there may be fewer. Throws UsageError for a node that no tie can lead from, and Interrupted. The same at
/// any number of threads.
Suggestions suggest_links(LinkScorer& scorer, const SuggestionOptions& options);

}  // namespace edgewise::train
