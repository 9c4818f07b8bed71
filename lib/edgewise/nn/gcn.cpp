#include "edgewise/nn/gcn.hpp"

#include <cmath>
#include <cstddef>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/signal.hpp"

namespace edgewise::nn {

namespace {

constexpr std::size_t kRowGrain = 1024;

/// w / sqrt(d[u] d[v]) of each slot, [slots, 1] on the tape.
const float* symmetric_weights(autograd::Tape& tape, const graph::FrozenGraph& graph, bool has_edge_weights) {
  const std::size_t rows = graph.destination_count();
  MatrixMap weights = tape.scratch(static_cast<Eigen::Index>(graph.slot_count()), 1);
  MatrixMap scales = tape.scratch(static_cast<Eigen::Index>(rows), 1);
  float* weight = weights.data();
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
  return weight;
}

class Gcn : public Block {
 public:
  Gcn(BuildContext& context, const AttentionSettings& settings, bool has_bias, bool has_edge_weights)
      : dropout_(settings.dropout),
        has_edge_weights_(has_edge_weights),
        weight_(glorot(context, "weight", context.width, settings.width)),
        tail_(context, settings, has_bias) {}

  Signal forward(ForwardContext& context, const Signal& input) override {
    const Signal dropped = drop(context, input, dropout_);
    const autograd::Variable projected = project(dropped, context.tape.parameter(weight_));
    const float* weights = symmetric_weights(context.tape, context.graph, has_edge_weights_);
    return {.dense = tail_(context, autograd::aggregate(context.graph, weights, projected), dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  float dropout_;
  bool has_edge_weights_;
  autograd::Parameter weight_;
  AttentionTail tail_;
};

}  // namespace

std::unique_ptr<Block> make_gcn(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "dropout", "bias", "residual", "edge_weights", "activation"});
  const AttentionSettings settings = read_attention_settings(config, context.shape);
  const bool has_edge_weights = config.get("edge_weights", false);
  if (has_edge_weights && context.shape.edge_features == 0) {
    refuse(config, "edge_weights", "expected edges with features, of which the first is the weight: there are none");
  }
  auto block = std::make_unique<Gcn>(context, settings, config.get("bias", true), has_edge_weights);
  context.width = settings.output_width();
  return block;
}

}  // namespace edgewise::nn
