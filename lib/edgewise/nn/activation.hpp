#pragma once

#include <memory>
#include <string_view>

#include "edgewise/autograd/bias_activation.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

enum class Activation { none, relu, leaky_relu, elu, gelu, sigmoid, tanh };

/// The member's value by name ("none", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh").
Activation read_activation(const json::Value& config, std::string_view member, Activation fallback);

/// leaky_relu has slope 0.2 below 0.
autograd::Variable activate(autograd::Variable x, Activation activation);

/// dropout(activation(x + bias)), in one pass where the activation allows it; the bias may be unset.
autograd::Variable activate(autograd::Variable x, autograd::Variable bias, Activation activation,
                            const autograd::ElementDropout& dropout = {});

/// {"type": "activation", "function": "elu"}: element by element, any width.
std::unique_ptr<Block> make_activation(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
