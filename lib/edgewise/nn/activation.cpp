#include "edgewise/nn/activation.hpp"

#include "edgewise/autograd/activations.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/signal.hpp"

namespace edgewise::nn {

Activation read_activation(const json::Value& config, std::string_view member, Activation fallback) {
  return static_cast<Activation>(read_choice(config, member,
                                             {"none", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh"},
                                             static_cast<int>(fallback)));
}

autograd::Variable activate(autograd::Variable x, Activation activation) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return autograd::relu(x);
    case Activation::leaky_relu: return autograd::leaky_relu(x);
    case Activation::elu: return autograd::elu(x);
    case Activation::gelu: return autograd::gelu(x);
    case Activation::sigmoid: return autograd::sigmoid(x);
    case Activation::tanh: return autograd::tanh(x);
  }
  return x;
}

namespace {

class ActivationBlock : public Block {
 public:
  ActivationBlock(std::string name, Activation activation) : name_(std::move(name)), activation_(activation) {}
  Signal forward(ForwardContext&, const Signal& input) override {
    return {.dense = activate(dense(input, name_), activation_)};
  }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  Activation activation_;
};

}  // namespace

std::unique_ptr<Block> make_activation(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "function"});
  config.at("function");
  return std::make_unique<ActivationBlock>(context.name, read_activation(config, "function", Activation::none));
}

}  // namespace edgewise::nn
