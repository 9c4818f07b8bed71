#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "edgewise/core/random.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::test {

/// Several graphs as one, and where each begins.
struct Union {
  graph::Graph graph;
  std::vector<graph::Node> offsets;
};

using Pairs = std::vector<std::pair<graph::Node, graph::Node>>;

inline graph::EdgeList edge_list(const Pairs& pairs) {
  graph::EdgeList edges;
  for (const auto& [source, target] : pairs) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  }
  return edges;
}

inline graph::Graph graph_of(std::size_t nodes, const Pairs& pairs) {
  return graph::Graph(graph::NodeNames::numbered(nodes), edge_list(pairs));
}

/// The adjacency matrix: 1 if two nodes are neighbours, in either direction.
inline Eigen::MatrixXd dense_neighbours(const graph::Graph& graph) {
  const auto nodes = static_cast<Eigen::Index>(graph.node_count());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(nodes, nodes);
  for (std::size_t e = 0; e < graph.edge_count(); ++e)
    matrix(graph.edges().sources[e], graph.edges().targets[e]) =
        matrix(graph.edges().targets[e], graph.edges().sources[e]) = 1;
  return matrix;
}

inline Pairs path(graph::Node nodes) {
  Pairs pairs;
  for (graph::Node i = 1; i < nodes; ++i) pairs.emplace_back(i - 1, i);
  return pairs;
}

inline Pairs ring(graph::Node nodes) {
  Pairs pairs = path(nodes);
  pairs.emplace_back(nodes - 1, 0);
  return pairs;
}

/// Node 0 is the centre.
inline Pairs star(graph::Node nodes) {
  Pairs pairs;
  for (graph::Node i = 1; i < nodes; ++i) pairs.emplace_back(0, i);
  return pairs;
}

/// Random graphs of the given sizes, some with several components. One node in twenty has a self loop.
inline Union random_union(const std::vector<graph::Node>& sizes, double degree, std::uint64_t seed) {
  Random random(seed, Stream::generate, 7);
  Union all{{}, {0}};
  Pairs pairs;
  for (const graph::Node size : sizes) {
    const graph::Node first = all.offsets.back();
    for (graph::Node i = 0; i < size; ++i)
      for (graph::Node j = i; j < size; ++j)
        if (random.uniform() < (i == j ? 0.05 : degree / size)) pairs.emplace_back(first + i, first + j);
    all.offsets.push_back(first + size);
  }
  all.graph = graph_of(all.offsets.back(), pairs);
  return all;
}

}  // namespace edgewise::test
