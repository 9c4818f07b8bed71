#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/model.hpp"

/// A batch of small graphs for graph-level models.
namespace edgewise::test {

inline constexpr int kInputs = 5;
inline constexpr int kEdgeFeatures = 2;
inline constexpr int kPairFeatures = 3;

/// Graphs of these sizes, each a ring with a chord, with features of edges and pairs.
struct Batch {
  graph::GraphUnion all;
  graph::FrozenGraph readout;
  graph::FrozenGraph complete;
  Matrix x;
};

inline Batch ring_batch(const std::vector<graph::Node>& sizes) {
  Batch batch;
  graph::EdgeList edges;
  for (const graph::Node size : sizes) {
    const graph::Node first = batch.all.offsets.back();
    for (graph::Node i = 0; i < size && size > 1; ++i) {
      edges.sources.push_back(first + i);
      edges.targets.push_back(first + (i + 1) % size);
      edges.sources.push_back(first + (i * 2 + 1) % size);
      edges.targets.push_back(first + i);
    }
    batch.all.offsets.push_back(first + size);
  }
  const auto edge_count = static_cast<Eigen::Index>(edges.sources.size());
  // Depends on the ends within the graph only, so that a graph has the same features in every batch.
  const auto feature = [](graph::Node a, graph::Node b, int f) {
    return std::sin(static_cast<float>(a * 7 + b * 3 + static_cast<graph::Node>(f) * 5 + 1));
  };
  const auto first_of = [&](graph::Node node) {
    return *std::prev(std::upper_bound(batch.all.offsets.begin(), batch.all.offsets.end(), node));
  };
  edges.features.resize(edge_count, kEdgeFeatures);
  for (Eigen::Index e = 0; e < edge_count; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const graph::Node first = first_of(edges.sources[i]);
    for (int f = 0; f < kEdgeFeatures; ++f)
      edges.features(e, f) = feature(edges.sources[i] - first, edges.targets[i] - first, f);
  }
  const graph::Node nodes = batch.all.offsets.back();
  const graph::Graph graph(graph::NodeNames::numbered(nodes), std::move(edges),
                           {.direction = graph::Direction::directed});
  batch.all.graph = graph::freeze(graph);
  batch.readout = graph::readout_mask(batch.all.offsets);
  batch.complete = graph::complete_mask(batch.all.offsets);
  batch.complete.edge_features.resize(static_cast<Eigen::Index>(batch.complete.slot_count()), kPairFeatures);
  batch.x.resize(nodes, kInputs);
  for (graph::Node v = 0; v < nodes; ++v) {
    const graph::Node first = first_of(v);
    for (int f = 0; f < kInputs; ++f) batch.x(v, f) = feature(v - first, 11, f);
    for (auto slot = batch.complete.incoming.offsets[v]; slot < batch.complete.incoming.offsets[v + 1]; ++slot)
      for (int f = 0; f < kPairFeatures; ++f)
        batch.complete.edge_features(static_cast<Eigen::Index>(slot), f) =
            feature(v - first, batch.complete.incoming.columns[slot] - first, f + 3);
  }
  return batch;
}

inline nn::ForwardContext context_of(autograd::Tape& tape, const Batch& batch, bool is_training = false) {
  return {.tape = tape,
          .masks = {{"edges", &batch.all.graph}, {"readout", &batch.readout}, {"complete", &batch.complete}},
          .is_training = is_training,
          .seed = 1,
          .step = 4};
}

/// The shape of a model for the batch.
inline const nn::ModelShape kBatchShape{
    .inputs = kInputs, .outputs = 2, .edge_features = kEdgeFeatures, .pair_features = kPairFeatures};

}  // namespace edgewise::test
