#include "edgewise/nn/activation.hpp"

#include <optional>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

Activation read_activation(const json::Value& config, std::string_view member, Activation fallback) {
  return static_cast<Activation>(read_choice(config, member,
                                             {"none", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh"},
                                             static_cast<int>(fallback)));
}

namespace {

std::optional<autograd::Rectifier> rectifier_of(Activation activation) {
  switch (activation) {
    case Activation::none: return autograd::Rectifier::none;
    case Activation::relu: return autograd::Rectifier::relu;
    case Activation::leaky_relu: return autograd::Rectifier::leaky_relu;
    case Activation::elu: return autograd::Rectifier::elu;
    default: return std::nullopt;
  }
}

autograd::Variable apply_smooth(autograd::Variable x, Activation activation) {
  if (activation == Activation::gelu) return autograd::gelu(x);
  return activation == Activation::sigmoid ? autograd::sigmoid(x) : autograd::tanh(x);
}

}  // namespace

autograd::Variable activate(autograd::Variable x, autograd::Variable bias, Activation activation,
                            const autograd::ElementDropout& dropout) {
  if (const auto rectifier = rectifier_of(activation)) return autograd::bias_activation(x, bias, *rectifier, dropout);
  const autograd::Variable shifted = bias.is_set() ? autograd::add_row(x, bias) : x;
  return autograd::dropout(apply_smooth(shifted, activation), dropout.probability, dropout.key);
}

autograd::Variable activate(autograd::Variable x, Activation activation) { return activate(x, {}, activation); }

namespace {

class ActivationBlock : public Block {
 public:
  ActivationBlock(std::string name, Activation activation) : name_(std::move(name)), activation_(activation) {}
  NodeRows forward(ForwardContext&, const NodeRows& input) override {
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
