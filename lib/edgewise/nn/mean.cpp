#include "edgewise/nn/mean.hpp"

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class Mean : public Block {
 public:
  Mean(BuildContext& context, const AttentionSettings& settings, bool has_bias)
      : name_(context.name),
        mask_(settings.mask),
        dropout_(settings.dropout),
        weight_(glorot(context, "weight", context.width, settings.width)),
        tail_(context, settings, has_bias) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const NodeRows dropped = drop(context, input, dropout_);
    const autograd::Variable projected = project(dropped, context.tape.parameter(weight_));
    const graph::FrozenGraph& mask = mask_of(context, mask_, name_);
    const float* weights = mean_weights(context.tape, mask);
    return {.dense = tail_(context, autograd::aggregate(mask, weights, projected), dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  std::string name_;
  MaskShape mask_;
  float dropout_;
  autograd::Parameter weight_;
  AttentionTail tail_;  // its residual is the root's term
};

}  // namespace

std::unique_ptr<Block> make_mean(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "dropout", "bias", "root", "activation"});
  AttentionSettings settings = read_attention_settings(config, context);
  settings.residual = config.get("root", true) ? Residual::projection : Residual::none;
  auto block = std::make_unique<Mean>(context, settings, config.get("bias", true));
  context.width = settings.output_width();
  return block;
}

}  // namespace edgewise::nn
