#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/autograd/bias_activation.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

enum class Activation { none, relu, leaky_relu, elu, gelu, sigmoid, tanh };

/// The names of all activations, in order.
std::vector<std::string> activation_names();

/// Reads an activation by its name.
Activation read_activation(const json::Value& config, std::string_view member, Activation fallback);

/// leaky_relu has slope 0.2 below 0.
autograd::Variable activate(autograd::Variable x, Activation activation);

/// dropout(activation(x + bias)), in one pass if the activation allows it; the bias may be unset.
autograd::Variable activate(autograd::Variable x, autograd::Variable bias, Activation activation,
                            const autograd::ElementDropout& dropout = {});

struct ActivationOptions {
  Activation function = Activation::none;

  friend bool operator==(const ActivationOptions&, const ActivationOptions&) = default;
};

std::span<const Field<ActivationOptions>> activation_fields();

/// An element-wise activation as a layer, for any width.
class ActivationLayer : public Block {
 public:
  ActivationLayer(const ActivationOptions& options, const BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  ActivationOptions options_;
};

/// {"type": "activation", "function": "elu"}
std::unique_ptr<Block> make_activation(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
