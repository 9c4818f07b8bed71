#include "edgewise/nn/mean.hpp"

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/signal.hpp"

namespace edgewise::nn {

namespace {

class Mean : public Block {
 public:
  Mean(BuildContext& context, const AttentionSettings& settings, bool has_bias)
      : dropout_(settings.dropout),
        weight_(glorot(context, "weight", context.width, settings.width)),
        tail_(context, settings, has_bias) {}

  Signal forward(ForwardContext& context, const Signal& input) override {
    const Signal dropped = drop(context, input, dropout_);
    const autograd::Variable projected = project(dropped, context.tape.parameter(weight_));
    const float* weights = mean_weights(context.tape, context.graph);
    return {.dense = tail_(context, autograd::aggregate(context.graph, weights, projected), dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&weight_);
    tail_.collect_parameters(parameters);
  }

 private:
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
