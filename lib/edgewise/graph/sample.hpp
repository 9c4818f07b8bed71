#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "edgewise/graph/edge_rows.hpp"

namespace edgewise::graph {

/// Edges that a step along the edges of a sample follows, and how much each stands for: the sum over them of importance
/// times anything estimates the sum of it over all edges of the whole graph into the same node.
struct SampledEdges {
  FrozenGraph mask;  ///< Its destinations are the first of its sources; without `edge` if edges have no features.
  std::vector<float> importance;  ///< Per slot of `mask`.
};

/// A part of a graph, drawn at random, that a few of its nodes are computed from. The sources of the first step are
/// `nodes`, those of each later step the destinations of the one before. What remains at the end are the first nodes.
struct Sample {
  const EdgeRows* whole = nullptr;  ///< Of the sampler.
  std::vector<Node> nodes;  ///< In the whole graph.
  std::vector<std::shared_ptr<const SampledEdges>> steps;

  /// The number of edges into the i-th node in the whole graph.
  std::size_t degree(std::size_t i) const { return whole->degree(nodes[i]); }
};

}  // namespace edgewise::graph
