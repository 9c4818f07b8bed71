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

/// Of the i-th node of a sample, in the whole graph.
double degree_of(const graph::Sample& sample, std::size_t i, bool has_edge_weights) {
  return has_edge_weights ? sample.whole->weight_sum(sample.nodes[i]) : static_cast<double>(sample.degree(i));
}

/// One over the root of the degree of each source.
const float* source_scales(autograd::Tape& tape, const Edges& edges, bool has_edge_weights) {
  const std::size_t rows = edges.part == nullptr ? edges.mask.source_count() : edges.mask.destination_count();
  const autograd::Variable scales = tape.make(static_cast<Eigen::Index>(rows), 1, false);
  float* scale = scales.value().data();
  parallel_for(rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double degree = edges.sample == nullptr ? degree_of(edges.mask, v, has_edge_weights)
                                                    : degree_of(*edges.sample, v, has_edge_weights);
      scale[v] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0F;
    }
  });
  return sources(edges, scales).value().data();
}

}  // namespace

autograd::Variable symmetric_weights(autograd::Tape& tape, const Edges& edges, bool has_edge_weights) {
  const graph::FrozenGraph& graph = edges.mask;
  if (edges.sample == nullptr && edges.part == nullptr) graph::check_same_nodes("symmetric_weights", graph);
  autograd::Variable weights = tape.make(static_cast<Eigen::Index>(graph.slot_count()), 1, false);
  float* weight = weights.value().data();
  const float* scale = source_scales(tape, edges, has_edge_weights);
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
  return {edges, weights_};
}

void check_edge_weights(const json::Value& config, const MaskShape& mask) {
  if (mask.features == 0)
    refuse(config, "edge_weights", "expected edges with features, the first of which is the weight: there are none");
}

}  // namespace edgewise::nn
