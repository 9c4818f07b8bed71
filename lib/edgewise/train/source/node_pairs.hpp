#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_data.hpp"
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

/// The same for a pair and, unless pairs have a direction, its reverse.
std::uint64_t pair_key(graph::Node source, graph::Node target, bool is_directed);

/// The name of a tie or edge, as two fields of a CSV file: "ada,bob".
std::string name_of_link(const graph::NodeNames& nodes, graph::Node source, graph::Node target);

/// A row of a file of pairs.
struct NodePairRow {
  graph::Node source = 0, target = 0;
  std::string third;  ///< The third column, if it is asked for.
  TextLocation where;
};

/// Reads pairs of nodes from a CSV file: its columns source and target, or the first two; the header may be left out.
/// With `third`, such as "split", also the column of this name, or the third. Throws DataError with file and line for an
/// unknown node, a node beside itself unless `can_be_loops`, a row of too few fields, and for a file without a pair.
std::vector<NodePairRow> read_node_pair_rows(const std::string& path, const graph::NodeNames& names,
                                             const std::string& third = "", bool can_be_loops = false);

/// What the items of a split are.
struct PairSplit {
  const char* noun;  ///< "ties"
  bool is_directed = true;
  bool can_be_loops = true;  ///< From a node to itself.
};

/// Reads the parts of items, of which item i is between nodes with the key keys[i], from a CSV file of source, target and
/// split; items that it does not name have none. Throws as read_node_pair_rows, and DataError with file and line for
/// pairs that are no items or there twice, and for other words than those of data::parse_role.
data::Split read_pair_split(const std::string& path, const graph::NodeNames& nodes, std::span<const std::uint64_t> keys,
                            const PairSplit& options);

NodePairs read_node_pairs(const std::string& path, const graph::NodeNames& names);

}  // namespace edgewise::train
