#include "edgewise/nn/batch_norm.hpp"

#include "edgewise/autograd/batch_norm.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class BatchNorm : public Block {
 public:
  BatchNorm(BuildContext& context, const autograd::BatchNormOptions& options)
      : name_(context.name),
        gain_(constant(context, "gain", 1, context.width, 1)),
        bias_(constant(context, "bias", 1, context.width, 0)),
        running_mean_(Matrix::Zero(1, context.width)),
        running_variance_(Matrix::Ones(1, context.width)),
        options_(options) {
    gain_.decays = false;
    bias_.decays = false;
  }
  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    options_.is_training = context.is_training;
    return {.dense = autograd::batch_norm(dense(input, name_), context.tape.parameter(gain_),
                                          context.tape.parameter(bias_), running_mean_, running_variance_, options_)};
  }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.insert(parameters.end(), {&gain_, &bias_});
  }
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override {
    state.emplace_back(name_ + ".running_mean", &running_mean_);
    state.emplace_back(name_ + ".running_variance", &running_variance_);
  }

 private:
  std::string name_;
  autograd::Parameter gain_;
  autograd::Parameter bias_;
  Matrix running_mean_;
  Matrix running_variance_;
  autograd::BatchNormOptions options_;
};

}  // namespace

std::unique_ptr<Block> make_batch_norm(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "epsilon", "momentum"});
  const double epsilon = config.get("epsilon", 1e-5);
  const double momentum = config.get("momentum", 0.1);
  if (!(epsilon > 0)) refuse(config, "epsilon", "expected a number above 0");
  if (!(momentum > 0 && momentum <= 1)) refuse(config, "momentum", "expected a number above 0, at most 1");
  return std::make_unique<BatchNorm>(context, autograd::BatchNormOptions{.momentum = static_cast<float>(momentum),
                                                                         .epsilon = static_cast<float>(epsilon)});
}

}  // namespace edgewise::nn
