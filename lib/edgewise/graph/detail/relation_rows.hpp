#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/graph/edge_rows.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::graph::detail {

/// The edges into a node from others, by relation, to draw some of each. O(edges) numbers.
class RelationRows {
 public:
  /// Edges of one relation into a node: places [begin, begin + count) in the order.
  struct Group {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };

  /// Of the relations that the first `relations` features are of. Edges of none are a group of their own.
  RelationRows(const EdgeRows& whole, std::uint32_t relations);

  std::span<const Group> groups(Node node) const {
    return std::span(groups_).subspan(ends_of_groups_[node], ends_of_groups_[node + 1] - ends_of_groups_[node]);
  }
  /// The position in the node's row of the i-th edge in the order by relation.
  std::uint32_t position(Node node, EdgeIndex i) const { return order_[begins_[node] + i]; }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<Group> groups_;
  std::vector<EdgeIndex> begins_ = {0};
  std::vector<std::size_t> ends_of_groups_ = {0};
};

}  // namespace edgewise::graph::detail
