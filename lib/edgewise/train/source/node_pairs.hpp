#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/node_names.hpp"

namespace edgewise::train {

/// Pairs of nodes, each a source and a target.
struct NodePairs {
  std::vector<graph::Node> sources, targets;

  std::size_t size() const { return sources.size(); }
  void add(graph::Node source, graph::Node target) {
    sources.push_back(source);
    targets.push_back(target);
  }
  void add(const NodePairs& from, std::size_t pair) { add(from.sources[pair], from.targets[pair]); }
};

/// A row of a file of pairs.
struct NodePairRow {
  graph::Node source = 0, target = 0;
  std::string third;  ///< The third column, if it is asked for.
  TextLocation where;
};

/// Reads pairs of nodes from a CSV file: its columns source and target, or the first two; the header may be left out.
/// With `third`, such as "split", also the column of this name, or the third. Throws DataError with file and line for an
/// unknown node, a node beside itself, a row of too few fields, and for a file without a pair.
std::vector<NodePairRow> read_node_pair_rows(const std::string& path, const graph::NodeNames& names,
                                             const std::string& third = "");

NodePairs read_node_pairs(const std::string& path, const graph::NodeNames& names);

}  // namespace edgewise::train
