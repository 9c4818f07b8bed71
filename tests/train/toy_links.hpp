#pragma once

#include <utility>

#include "edgewise/core/random.hpp"
#include "edgewise/train/source/link_data.hpp"

namespace edgewise::test {

/// A network of circles of friends, whose ties are the items: nearly all ties are within a circle of ten, and the
/// features say, with noise, which circle a node is of.
inline train::Dataset circles_of_friends(graph::Direction direction = graph::Direction::undirected,
                                         std::size_t nodes = 60) {
  constexpr std::size_t kCircle = 10;
  Random random(7, Stream::generate);
  graph::EdgeList edges;
  for (graph::Node v = 0; v < nodes; ++v)
    for (int k = 0; k < 3; ++k) {
      const bool is_within = random.uniform() < 0.95;
      const auto u = static_cast<graph::Node>(is_within ? v / kCircle * kCircle + random.below(kCircle)
                                                        : random.below(nodes));
      edges.sources.push_back(v);
      edges.targets.push_back(u);
    }
  train::Dataset data;
  data.name = "circles";
  data.reading.task = train::kLinks;
  data.graph = graph::Graph(graph::NodeNames::numbered(nodes), std::move(edges), {.direction = direction});
  const auto circles = static_cast<Eigen::Index>(nodes / kCircle);
  data.features.dense = Matrix::NullaryExpr(static_cast<Eigen::Index>(nodes), circles,
                                            [&] { return static_cast<float>(random.normal()); });
  for (std::size_t v = 0; v < nodes; ++v)
    data.features.dense(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(v / kCircle)) += 2;
  train::make_links(data);
  return data;
}

}  // namespace edgewise::test
