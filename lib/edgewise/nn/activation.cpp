#include "edgewise/nn/activation.hpp"

#include <array>
#include <optional>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

std::vector<std::string> activation_names() {
  return {"none", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh"};
}

Activation read_activation(const json::Value& config, std::string_view member, Activation fallback) {
  return static_cast<Activation>(read_choice(config, member, activation_names(), static_cast<int>(fallback)));
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

constexpr std::array kActivationFields = {
    field<&ActivationOptions::function, Required<Choice<activation_names>>>("function",
                                                                            "what is applied to each element"),
};

}  // namespace

std::span<const Field<ActivationOptions>> activation_fields() { return kActivationFields; }

ActivationLayer::ActivationLayer(const ActivationOptions& options, const BuildContext& context)
    : name_(context.name), options_(options) {}

NodeRows ActivationLayer::forward(ForwardContext&, const NodeRows& input) {
  return {.dense = activate(dense(input, name_), options_.function)};
}

std::unique_ptr<Block> make_activation(const json::Value& config, BuildContext& context) {
  return std::make_unique<ActivationLayer>(read_fields(config, activation_fields(), context.shape), context);
}

}  // namespace edgewise::nn
