#include "edgewise/nn/gcn.hpp"

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

namespace {

class Gcn : public Block {
 public:
  Gcn(BuildContext& context, const AttentionSettings& settings, bool has_bias, bool has_edge_weights)
      : name_(context.name),
        mask_(settings.mask),
        dropout_(settings.dropout),
        has_edge_weights_(has_edge_weights),
        weight_(glorot(context, "weight", context.width, settings.width)),
        tail_(context, settings, has_bias) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const NodeRows dropped = drop(context, input, dropout_);
    const autograd::Variable projected = project(dropped, context.tape.parameter(weight_));
    const graph::FrozenGraph& mask = mask_of(context, mask_, name_);
    const autograd::Variable weights = symmetric_weights(context.tape, mask, has_edge_weights_);
    return {.dense = tail_(context, autograd::aggregate(mask, weights.value().data(), projected), dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  std::string name_;
  MaskShape mask_;
  float dropout_;
  bool has_edge_weights_;
  autograd::Parameter weight_;
  AttentionTail tail_;
};

}  // namespace

std::unique_ptr<Block> make_gcn(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "dropout", "bias", "residual", "edge_weights", "activation"});
  const AttentionSettings settings = read_attention_settings(config, context);
  const bool has_edge_weights = config.get("edge_weights", false);
  if (has_edge_weights && context.shape.edge_features == 0) {
    refuse(config, "edge_weights", "expected edges with features, of which the first is the weight: there are none");
  }
  auto block = std::make_unique<Gcn>(context, settings, config.get("bias", true), has_edge_weights);
  context.width = settings.output_width();
  return block;
}

}  // namespace edgewise::nn
