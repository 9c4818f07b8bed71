#include "edgewise/nn/layer_norm.hpp"

#include "edgewise/autograd/layer_norm.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class LayerNorm : public Block {
 public:
  LayerNorm(BuildContext& context, float epsilon)
      : name_(context.name),
        gain_(constant(context, "gain", 1, context.width, 1)),
        bias_(constant(context, "bias", 1, context.width, 0)),
        epsilon_(epsilon) {
    gain_.decays = false;
    bias_.decays = false;
  }
  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    return {.dense = autograd::layer_norm(dense(input, name_), context.tape.parameter(gain_),
                                          context.tape.parameter(bias_), epsilon_)};
  }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.insert(parameters.end(), {&gain_, &bias_});
  }

 private:
  std::string name_;
  autograd::Parameter gain_;
  autograd::Parameter bias_;
  float epsilon_;
};

}  // namespace

std::unique_ptr<Block> make_layer_norm(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "epsilon"});
  const double epsilon = config.get("epsilon", 1e-5);
  if (!(epsilon > 0)) refuse(config, "epsilon", "expected a number above 0");
  return std::make_unique<LayerNorm>(context, static_cast<float>(epsilon));
}

}  // namespace edgewise::nn
