#include "edgewise/nn/propagate.hpp"

#include <utility>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

class Propagate : public Block {
 public:
  Propagate(std::string name, MaskShape mask, int steps, float restart, float dropout, bool has_edge_weights)
      : name_(std::move(name)),
        mask_(std::move(mask)),
        steps_(steps),
        restart_(restart),
        dropout_(dropout),
        has_edge_weights_(has_edge_weights) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const Variable x = dense(input, name_);
    const graph::FrozenGraph& mask = mask_of(context, mask_, name_);
    const Variable weights = symmetric_weights(context.tape, mask, has_edge_weights_);
    const Variable restarted = autograd::scale(x, restart_);
    Variable z = x;
    for (int step = 0; step < steps_; ++step) {
      const Variable dropped = drop(context, weights, dropout_);
      const Variable spread = autograd::aggregate(mask, dropped.value().data(), z);
      z = autograd::add(autograd::scale(spread, 1 - restart_), restarted);
    }
    return {.dense = z};
  }

  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  MaskShape mask_;
  int steps_;
  float restart_;
  float dropout_;
  bool has_edge_weights_;
};

}  // namespace

std::unique_ptr<Block> make_propagate(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "steps", "restart", "dropout", "edge_weights"});
  MaskShape mask = use_mask(config, context);
  const bool has_edge_weights = config.get("edge_weights", false);
  if (has_edge_weights && context.shape.edge_features == 0) {
    refuse(config, "edge_weights", "expected edges with features, of which the first is the weight: there are none");
  }
  return std::make_unique<Propagate>(context.name, std::move(mask), read_positive(config, "steps", 10),
                                     read_probability(config, "restart", 0.1F), read_probability(config, "dropout", 0),
                                     has_edge_weights);
}

}  // namespace edgewise::nn
