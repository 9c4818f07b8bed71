#pragma once

#include "edgewise/core/random.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::test {

inline constexpr graph::Node kRingNodes = 300;

/// A weighted directed ring with some chords and a hub. Two steps reach few of the nodes.
inline graph::Graph chorded_ring() {
  Random random(4, Stream::generate);
  graph::EdgeList edges;
  const auto add = [&](graph::Node u, graph::Node v) {
    edges.sources.push_back(u);
    edges.targets.push_back(v);
    edges.weights.push_back(static_cast<float>(0.5 + random.uniform()));
  };
  for (graph::Node v = 0; v < kRingNodes; ++v) {
    add((v + 1) % kRingNodes, v);
    add((v + 5) % kRingNodes, v);
    if (v % 50 == 0) add(7, v);
  }
  for (graph::Node u = 100; u < 180; ++u) add(u, 150);
  return graph::Graph(graph::NodeNames::numbered(kRingNodes), std::move(edges),
                      {.direction = graph::Direction::directed});
}

/// Normally distributed features, [kRingNodes, columns].
inline data::Features noise_on_ring(Eigen::Index columns) {
  Random random(9, Stream::generate);
  data::Features features;
  features.dense = Matrix::NullaryExpr(kRingNodes, columns, [&] { return static_cast<float>(random.normal()); });
  return features;
}

}  // namespace edgewise::test
