#include "edgewise/nn/symmetric_weights.hpp"

#include <cmath>
#include <cstddef>

#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

namespace {

constexpr std::size_t kRowGrain = 1024;

}  // namespace

autograd::Variable symmetric_weights(autograd::Tape& tape, const graph::FrozenGraph& graph, bool has_edge_weights) {
  graph::check_same_nodes("symmetric_weights", graph);
  const std::size_t rows = graph.destination_count();
  autograd::Variable weights = tape.make(static_cast<Eigen::Index>(graph.slot_count()), 1, false);
  MatrixMap scales = tape.scratch(static_cast<Eigen::Index>(rows), 1);
  float* weight = weights.value().data();
  float* scale = scales.data();
  parallel_for(rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double degree = 0;
      for (graph::EdgeIndex slot = graph.incoming.offsets[v]; slot < graph.incoming.offsets[v + 1]; ++slot) {
        const bool is_weighted = has_edge_weights && graph.edge[slot] != graph::kAddedSelfLoop;
        weight[slot] = is_weighted ? graph.edge_features(static_cast<Eigen::Index>(slot), 0) : 1.0F;
        degree += weight[slot];
      }
      scale[v] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0F;
    }
  });
  parallel_for(rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      for (graph::EdgeIndex slot = graph.incoming.offsets[v]; slot < graph.incoming.offsets[v + 1]; ++slot) {
        weight[slot] *= scale[v] * scale[graph.incoming.columns[slot]];
      }
    }
  });
  return weights;
}

void check_edge_weights(const json::Value& config, const MaskShape& mask) {
  if (mask.features == 0)
    refuse(config, "edge_weights", "expected edges with features, the first of which is the weight: there are none");
}

}  // namespace edgewise::nn
