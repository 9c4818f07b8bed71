#pragma once

#include "edgewise/core/random.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::test {

/// Nodes of two classes with features that say nothing.
inline train::Dataset random_network(graph::Node nodes, std::size_t edges) {
  Random random(3, Stream::generate);
  train::Dataset data;
  data.name = "network";
  graph::EdgeList list;
  for (std::size_t e = 0; e < edges; ++e) {
    list.sources.push_back(static_cast<graph::Node>(random.below(nodes)));
    list.targets.push_back(static_cast<graph::Node>(random.below(nodes)));
  }
  data.graph = graph::Graph(graph::NodeNames::numbered(nodes), std::move(list),
                            {.duplicates = graph::DuplicateEdges::keep_all});
  data.labels.names = {"a", "b"};
  for (graph::Node node = 0; node < nodes; ++node) data.labels.classes.push_back(static_cast<std::int32_t>(node % 2));
  data.features.dense = Matrix::Ones(nodes, 8);
  return data;
}

inline json::Value preset(const char* name) { return json::Object{{"preset", name}}; }

}  // namespace edgewise::test
