#include "edgewise/nn/symmetric_weights.hpp"

#include <cmath>
#include <cstddef>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

namespace {

constexpr std::size_t kRowGrain = 1024;

float weight_of(const graph::FrozenGraph& graph, graph::EdgeIndex slot, bool has_edge_weights) {
  const bool is_weighted = has_edge_weights && graph.edge[slot] != graph::kAddedSelfLoop;
  return is_weighted ? graph.edge_features(static_cast<Eigen::Index>(slot), 0) : 1.0F;
}

double degree_of(const graph::FrozenGraph& graph, std::size_t node, bool has_edge_weights) {
  const graph::EdgeIndex begin = graph.incoming.offsets[node], end = graph.incoming.offsets[node + 1];
  if (!has_edge_weights) return static_cast<double>(end - begin);
  double degree = 0;
  for (graph::EdgeIndex slot = begin; slot < end; ++slot) degree += weight_of(graph, slot, true);
  return degree;
}

}  // namespace

autograd::Variable symmetric_weights(autograd::Tape& tape, const Edges& edges, bool has_edge_weights) {
  const graph::FrozenGraph& graph = edges.mask;
  if (edges.sample == nullptr) graph::check_same_nodes("symmetric_weights", graph);
  const graph::FrozenGraph& whole = edges.sample == nullptr ? graph : *edges.sample->whole;
  autograd::Variable weights = tape.make(static_cast<Eigen::Index>(graph.slot_count()), 1, false);
  float* weight = weights.value().data();
  float* scale = tape.scratch(static_cast<Eigen::Index>(graph.source_count()), 1).data();
  parallel_for(graph.source_count(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double degree = degree_of(whole, edges.sample == nullptr ? v : edges.sample->nodes[v], has_edge_weights);
      scale[v] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0F;
    }
  });
  parallel_for(graph.destination_count(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      for (graph::EdgeIndex slot = graph.incoming.offsets[v]; slot < graph.incoming.offsets[v + 1]; ++slot) {
        weight[slot] = weight_of(graph, slot, has_edge_weights) * (scale[v] * scale[graph.incoming.columns[slot]]);
        if (edges.importance != nullptr) weight[slot] *= edges.importance[slot];
      }
    }
  });
  return weights;
}

SymmetricSteps::Step SymmetricSteps::next(ForwardContext& context) {
  const Edges edges = next_edges(context, mask_, block_);
  if (last_ != &edges.mask) {
    last_ = &edges.mask;
    weights_ = autograd::scale(symmetric_weights(context.tape, edges, has_edge_weights_), factor_);
  }
  return {edges.mask, weights_};
}

void check_edge_weights(const json::Value& config, const MaskShape& mask) {
  if (mask.features == 0)
    refuse(config, "edge_weights", "expected edges with features, the first of which is the weight: there are none");
}

}  // namespace edgewise::nn
