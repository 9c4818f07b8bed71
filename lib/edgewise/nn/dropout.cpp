#include "edgewise/nn/dropout.hpp"

#include "edgewise/nn/config.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class Dropout : public Block {
 public:
  explicit Dropout(float probability) : probability_(probability) {}
  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    return drop(context, input, probability_);
  }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  float probability_;
};

}  // namespace

std::unique_ptr<Block> make_dropout(const json::Value& config, BuildContext&) {
  config.allow_only({"type", "probability"});
  config.at("probability");
  return std::make_unique<Dropout>(read_probability(config, "probability", 0));
}

}  // namespace edgewise::nn
