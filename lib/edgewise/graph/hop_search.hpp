#pragma once

#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// Breadth-first searches along the rows of a CSR, one step at a time. A search touches only the nodes it finds.
/// Used as
///
///     HopSearch search(edges.incoming, 0, nodes);
///     search.start(node);
///     for (int hop = 1; hop <= 2; ++hop) search.grow();
class HopSearch {
 public:
  /// Among the nodes first ... end - 1, which no edge may leave. `rows` must outlive the search.
  HopSearch(const Csr& rows, Node first, Node end) : rows_(rows), first_(first), seen_(end - first, false) {}

  /// Begins a new search: the node alone.
  void start(Node node) {
    for (const Node found : found_) seen_[found - first_] = false;
    found_.clear();
    grown_ = 0;
    find(node);
  }

  /// Adds the nodes one step further away. Returns how many there were before.
  std::size_t grow() {
    const std::size_t before = found_.size();
    for (; grown_ < before; ++grown_)
      for (const Node node : rows_.row(found_[grown_])) find(node);
    return before;
  }

  /// In order of discovery, nearest first. Valid until the next call.
  const std::vector<Node>& found() const { return found_; }

 private:
  void find(Node node) {
    if (seen_[node - first_]) return;
    seen_[node - first_] = true;
    found_.push_back(node);
  }

  const Csr& rows_;
  Node first_;
  std::vector<bool> seen_;
  std::vector<Node> found_;
  std::size_t grown_ = 0;  // of the found nodes: their neighbours are found, too
};

}  // namespace edgewise::graph
