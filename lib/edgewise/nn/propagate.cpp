#include "edgewise/nn/propagate.hpp"

#include <utility>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/signal.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

class Propagate : public Block {
 public:
  Propagate(std::string name, int steps, float restart, float dropout, bool has_edge_weights)
      : name_(std::move(name)),
        steps_(steps),
        restart_(restart),
        dropout_(dropout),
        has_edge_weights_(has_edge_weights) {}

  Signal forward(ForwardContext& context, const Signal& input) override {
    const Variable x = dense(input, name_);
    const Variable weights = symmetric_weights(context.tape, context.graph, has_edge_weights_);
    const Variable restarted = autograd::scale(x, restart_);
    Variable z = x;
    for (int step = 0; step < steps_; ++step) {
      const Variable dropped = drop(context, weights, dropout_);
      const Variable spread = autograd::aggregate(context.graph, dropped.value().data(), z);
      z = autograd::add(autograd::scale(spread, 1 - restart_), restarted);
    }
    return {.dense = z};
  }

  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  int steps_;
  float restart_;
  float dropout_;
  bool has_edge_weights_;
};

}  // namespace

std::unique_ptr<Block> make_propagate(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "steps", "restart", "dropout", "edge_weights"});
  expect_node_level(config, context);
  const bool has_edge_weights = config.get("edge_weights", false);
  if (has_edge_weights && context.shape.edge_features == 0) {
    refuse(config, "edge_weights", "expected edges with features, of which the first is the weight: there are none");
  }
  return std::make_unique<Propagate>(context.name, read_positive(config, "steps", 10),
                                     read_probability(config, "restart", 0.1F),
                                     read_probability(config, "dropout", 0), has_edge_weights);
}

}  // namespace edgewise::nn
