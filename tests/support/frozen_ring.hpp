#pragma once

#include <filesystem>
#include <string>

#include "edgewise/data/freeze_network.hpp"
#include "support/chorded_ring.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise::test {

/// The chorded ring with noise as features, three classes and a split, frozen.
struct FrozenRing {
  std::string path;
  graph::Graph graph = chorded_ring();
  data::Features features = noise_on_ring(5);
  data::Labels labels;
  data::Split split;
  data::FrozenCounts counts;

  /// `kinds` as those of data::NetworkToFreeze; the labels are those of the first.
  FrozenRing(std::string file, std::size_t parts, std::uint64_t memory = std::uint64_t{1} << 30,
             std::vector<graph::Node> kinds = {})
      : path(std::move(file)) {
    labels.names = {"a", "b", "c"};
    const graph::Node items = kinds.size() > 1 ? kinds[1] : kRingNodes;
    for (graph::Node node = 0; node < items; ++node) {
      labels.classes.push_back(node % 11 == 10 ? -1 : static_cast<std::int32_t>(node / 100));
      split.push_back(node % 5 == 0 ? data::Role::validation : node % 5 == 1 ? data::Role::test : data::Role::train);
    }
    data::ArcList arcs(std::filesystem::path(path).parent_path().string(), memory);
    const graph::EdgeList& edges = graph.edges();
    for (std::size_t e = 0; e < edges.size(); ++e)
      arcs.add({.destination = edges.targets[e],
                .source = edges.sources[e],
                .edge = static_cast<graph::StoredEdge>(e),
                .weight = edges.weights[e]});
    counts = data::freeze_network(path,
                                  {.names = graph.names(),
                                   .features = features,
                                   .labels = labels,
                                   .split = split,
                                   .edge_features = {},
                                   .is_directed = true,
                                   .is_weighted = true,
                                   .duplicates = graph::DuplicateEdges::keep_first,
                                   .kinds = std::move(kinds)},
                                  std::move(arcs), {.parts = parts, .memory = memory});
  }
};

}  // namespace edgewise::test
