#pragma once

#include <boost/graph/breadth_first_search.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstdint>
#include <vector>

#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::graph::detail {

/// A node and its distance in edges.
struct NodeAtHop {
  Node node;
  std::uint32_t hops;
};

/// Breadth-first searches that stop after `limit` steps and touch only the nodes they visit.
class TruncatedSearch {
 public:
  TruncatedSearch(const BoostGraph& graph, std::uint32_t limit)
      : graph_(graph),
        limit_(limit),
        colours_(boost::num_vertices(graph), boost::white_color),
        hops_(boost::num_vertices(graph), 0) {}

  /// The nodes in order of discovery. Valid until the next call.
  const std::vector<NodeAtHop>& from(Node start) {
    found_.clear();
    hops_[start] = 0;
    Queue queue{*this, {}, 0};
    boost::breadth_first_visit(
        graph_, start, queue, Visitor(*this),
        boost::make_iterator_property_map(colours_.begin(), boost::get(boost::vertex_index, graph_)));
    for (const NodeAtHop& found : found_) colours_[found.node] = boost::white_color;
    return found_;
  }

 private:
  struct Visitor : boost::default_bfs_visitor {
    explicit Visitor(TruncatedSearch& owner) : search(&owner) {}
    template <class Arc, class G>
    void tree_edge(const Arc& arc, const G& graph) const {
      search->hops_[boost::target(arc, graph)] = search->hops_[boost::source(arc, graph)] + 1;
    }
    template <class G>
    void discover_vertex(Node node, const G&) const {
      search->found_.push_back({node, search->hops_[node]});
    }
    TruncatedSearch* search;
  };

  /// A queue that rejects nodes the search must not expand. This is what truncates it.
  struct Queue {
    void push(Node node) {
      if (search.hops_[node] < search.limit_) waiting.push_back(node);
    }
    void pop() { ++first; }
    Node top() const { return waiting[first]; }
    bool empty() const { return first == waiting.size(); }

    TruncatedSearch& search;
    std::vector<Node> waiting;
    std::size_t first;
  };

  const BoostGraph& graph_;
  std::uint32_t limit_;
  std::vector<boost::default_color_type> colours_;
  std::vector<std::uint32_t> hops_;
  std::vector<NodeAtHop> found_;
};

}  // namespace edgewise::graph::detail
