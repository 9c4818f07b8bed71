#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "edgewise/graph/ties.hpp"

/// @file
/// Pairs of nodes in the order in which what belongs to one end is computed once for many pairs.
namespace edgewise::graph {

/// What becomes of the tie from u to v when (u, v) is looked at.
enum class OwnTie {
  keep,
  /// Each pair is looked at in the network without its own tie, if it has one: for ties that a model learns from.
  omit,
};

/// A pair of nodes. Its anchor is the end of larger degree, the one with the smaller number if they are equal, and so
/// depends on the pair alone.
struct AnchoredPair {
  std::size_t row = 0;  ///< Its place among the pairs.
  Node anchor = 0, other = 0;
  bool lacks_tie = false;  ///< The two are no neighbours because their tie is omitted.
  bool has_tie = false;    ///< The two are neighbours, after that.
};

/// The pairs (sources[i], targets[i]), ordered by anchor, then by row. Throws UsageError if `sources` and `targets`
/// differ in length or name a node that does not exist.
std::vector<AnchoredPair> anchored_pairs(const Ties& ties, std::span<const Node> sources, std::span<const Node> targets,
                                         OwnTie own_tie);

/// How many of them a chunk of parallel work has, for work that starts with a row as long as the network.
inline std::size_t anchored_grain(std::size_t pairs) { return std::max<std::size_t>(4096, pairs / 128); }

}  // namespace edgewise::graph
