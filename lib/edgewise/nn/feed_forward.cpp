#include "edgewise/nn/feed_forward.hpp"

#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class FeedForward : public Block {
 public:
  FeedForward(BuildContext& context, int hidden, int width, Activation activation, float dropout)
      : first_(context, "first.", context.width, hidden, LinearMap::Bias::yes),
        second_(context, "second.", hidden, width, LinearMap::Bias::yes),
        activation_(activation),
        dropout_(dropout) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const autograd::Variable hidden = first_(context, input);
    return {.dense = second_(context, {.dense = activate(hidden, {}, activation_, next_dropout(context, dropout_))})};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    first_.collect_parameters(parameters);
    second_.collect_parameters(parameters);
  }

 private:
  LinearMap first_;
  LinearMap second_;
  Activation activation_;
  float dropout_;
};

}  // namespace

std::unique_ptr<Block> make_feed_forward(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "hidden", "width", "activation", "dropout"});
  const int hidden = read_width(config, "hidden", context.shape);
  const int width = read_width(config, "width", context.shape, context.width);
  auto block = std::make_unique<FeedForward>(context, hidden, width,
                                             read_activation(config, "activation", Activation::gelu),
                                             read_probability(config, "dropout", 0));
  context.width = width;
  return block;
}

}  // namespace edgewise::nn
