#pragma once

#include <vector>

#include "edgewise/core/random.hpp"
#include "edgewise/graph/ties.hpp"

namespace edgewise::test {

/// Ties as lists, and pairs of nodes to ask about.
struct TieLists {
  std::size_t nodes = 0;
  std::vector<graph::Node> sources = {}, targets = {};

  graph::Ties ties(graph::Direction direction) const { return {nodes, sources, targets, direction}; }
  /// The same without all ties from `source` to `target`; undirected: nor the reverse.
  TieLists without(graph::Node source, graph::Node target, graph::Direction direction) const {
    TieLists left{.nodes = nodes};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool is_own = sources[i] == source && targets[i] == target;
      const bool is_reverse = sources[i] == target && targets[i] == source;
      if (is_own || (is_reverse && direction == graph::Direction::undirected)) continue;
      left.sources.push_back(sources[i]);
      left.targets.push_back(targets[i]);
    }
    return left;
  }
};

/// Node 0 is a hub, the last three have no ties. Includes loops, repeats and reverse ties.
inline TieLists random_tie_lists(std::size_t nodes, std::size_t count, std::uint64_t seed) {
  Random random(seed, Stream::generate, 8);
  TieLists lists{.nodes = nodes};
  for (std::size_t i = 0; i < count; ++i) {
    lists.sources.push_back(static_cast<graph::Node>(i % 5 == 0 ? 0 : random.below(nodes - 3)));
    lists.targets.push_back(static_cast<graph::Node>(random.below(nodes - 3)));
    if (i % 7 == 0) {
      lists.sources.push_back(lists.targets.back());
      lists.targets.push_back(lists.sources[lists.sources.size() - 2]);
    }
  }
  return lists;
}

/// All pairs of nodes.
inline TieLists all_pairs(std::size_t nodes) {
  TieLists pairs{.nodes = nodes};
  for (graph::Node u = 0; u < nodes; ++u)
    for (graph::Node v = 0; v < nodes; ++v) {
      pairs.sources.push_back(u);
      pairs.targets.push_back(v);
    }
  return pairs;
}

}  // namespace edgewise::test
