#pragma once

#include <initializer_list>
#include <utility>

#include "edgewise/graph/frozen_graph.hpp"
#include "support/gradient_check.hpp"

namespace edgewise::test {

/// A directed graph of `nodes` numbered nodes from pairs (source, target), optionally with random edge features.
inline graph::Graph node_graph(std::size_t nodes, std::initializer_list<std::pair<graph::Node, graph::Node>> pairs,
                               int edge_features = 0) {
  graph::EdgeList edges;
  for (const auto& [source, target] : pairs) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  }
  edges.features = random_matrix(static_cast<Eigen::Index>(pairs.size()), edge_features, 99);
  return {graph::NodeNames::numbered(nodes), std::move(edges), {.direction = graph::Direction::directed}};
}

/// Six nodes: 0 is a hub with four sources, 1 -> 2 -> 3 a chain, 4 attends to itself, 5 to nothing.
inline graph::Graph small_graph(int edge_features = 0) {
  return node_graph(6, {{1, 0}, {2, 0}, {3, 0}, {5, 0}, {0, 1}, {1, 2}, {5, 2}, {2, 3}, {4, 4}}, edge_features);
}

}  // namespace edgewise::test
