#pragma once

#include <cstddef>
#include <span>

#include "edgewise/graph/csr.hpp"

namespace edgewise::graph {

/// The ties of a network that links are judged by: without loops and repeats; in an undirected network a tie and its
/// reverse are one. Takes 4 bytes per neighbour of a node, three times as much in a directed network.
class Ties {
 public:
  Ties() = default;
  /// Tie i leads from `sources[i]` to `targets[i]`. O(nodes + ties), but for the sorting of rows. Throws UsageError if
  /// the two differ in length or name a node that is not below `nodes`.
  Ties(std::size_t nodes, std::span<const Node> sources, std::span<const Node> targets, Direction direction);

  std::size_t node_count() const { return neighbours_.rows(); }
  Direction direction() const { return direction_; }
  /// Whether there is a tie from `source` to `target`; undirected: either way. A binary search in the shorter row.
  bool contains(Node source, Node target) const;
  /// The nodes that have a tie with this one in either direction, ascending, without the node itself.
  std::span<const Node> neighbours(Node node) const { return neighbours_.row(node); }
  /// The nodes that ties lead to from this one, ascending; undirected: all neighbours.
  std::span<const Node> targets(Node node) const { return is_directed() ? targets_.row(node) : neighbours(node); }
  /// The nodes from which ties lead to this one, ascending; undirected: all neighbours.
  std::span<const Node> sources(Node node) const { return is_directed() ? sources_.row(node) : neighbours(node); }
  /// The number of neighbours.
  std::size_t degree(Node node) const { return neighbours(node).size(); }

 private:
  bool is_directed() const { return direction_ == Direction::directed; }

  Direction direction_ = Direction::undirected;
  Csr neighbours_;
  Csr targets_, sources_;  ///< Of a directed network.
};

}  // namespace edgewise::graph
