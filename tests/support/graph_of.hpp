#pragma once

#include <utility>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::test {

/// A graph of the nodes 0, 1, ... with these edges.
inline graph::Graph graph_of(std::size_t nodes, std::vector<graph::Node> sources, std::vector<graph::Node> targets,
                             graph::Direction direction = graph::Direction::undirected,
                             std::vector<float> weights = {}) {
  graph::EdgeList edges;
  edges.sources = std::move(sources);
  edges.targets = std::move(targets);
  edges.weights = std::move(weights);
  return graph::Graph(graph::NodeNames::numbered(nodes), std::move(edges), {.direction = direction});
}

}  // namespace edgewise::test
