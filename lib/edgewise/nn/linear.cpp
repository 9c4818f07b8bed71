#include "edgewise/nn/linear.hpp"

#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

LinearMap::LinearMap(BuildContext& context, const std::string& prefix, int inputs, int outputs, Bias bias)
    : weight_(glorot(context, prefix + "weight", inputs, outputs)) {
  if (bias == Bias::yes) bias_ = constant(context, prefix + "bias", 1, outputs, 0);
}

autograd::Variable LinearMap::operator()(ForwardContext& context, const NodeRows& input) {
  const autograd::Variable bias = bias_ ? context.tape.parameter(*bias_) : autograd::Variable();
  return project(input, context.tape.parameter(weight_), bias);
}

void LinearMap::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&weight_);
  if (bias_) parameters.push_back(&*bias_);
}

namespace {

class Linear : public Block {
 public:
  explicit Linear(LinearMap map) : map_(std::move(map)) {}
  NodeRows forward(ForwardContext& context, const NodeRows& input) override { return {.dense = map_(context, input)}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    map_.collect_parameters(parameters);
  }

 private:
  LinearMap map_;
};

}  // namespace

std::unique_ptr<Block> make_linear(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "bias"});
  const int width = read_width(config, "width", context.shape);
  const auto bias = config.get("bias", true) ? LinearMap::Bias::yes : LinearMap::Bias::no;
  auto block = std::make_unique<Linear>(LinearMap(context, "", context.width, width, bias));
  context.width = width;
  return block;
}

}  // namespace edgewise::nn
