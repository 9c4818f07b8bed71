#pragma once

#include <string_view>
#include <vector>

#include "edgewise/io/edge_list_result.hpp"

namespace edgewise::io::detail {

/// The column "Type" of a table of edges by Gephi: Directed, Undirected or Mutual in each row.
class EdgeTypes {
 public:
  /// The type of the next edge, in any case. Another text makes the column one of another kind.
  void add(std::string_view text);

  /// Whether there are no other texts, and an edge that is not undirected: the graph is directed.
  bool are_directed() const { return are_types_ && has_directed_; }
  /// For a directed graph: adds the reverse of each edge that is undirected or mutual, with its weight and features.
  void add_reverses(EdgeListResult& result) const;
  std::size_t two_way() const { return two_way_.size(); }

 private:
  bool are_types_ = true;
  bool has_directed_ = false;
  graph::EdgeIndex edges_ = 0;
  std::vector<graph::EdgeIndex> two_way_;
};

}  // namespace edgewise::io::detail
