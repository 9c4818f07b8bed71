#include "edgewise/nn/batch_norm.hpp"

#include <array>

#include "edgewise/autograd/batch_norm.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

/// In (0, 1].
struct Momentum : json::Plain<float> {
  static constexpr json::FieldType kType = json::FieldType::number;
  static float read(const json::Value& config, std::string_view name, float fallback) {
    const double value = config.get(name, static_cast<double>(fallback));
    if (!(value > 0 && value <= 1)) refuse(config, name, "expected a number above 0, at most 1");
    return static_cast<float>(value);
  }
};

constexpr std::array kBatchNormFields = {
    field<&BatchNormOptions::epsilon, AboveZero>("epsilon", "added to the variance"),
    field<&BatchNormOptions::momentum, Momentum>("momentum", "share of the newest batch in the running moments"),
};

}  // namespace

std::span<const Field<BatchNormOptions>> batch_norm_fields() { return kBatchNormFields; }

BatchNorm::BatchNorm(const BatchNormOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      gain_(constant(context, "gain", 1, options.inputs, 1)),
      bias_(constant(context, "bias", 1, options.inputs, 0)),
      running_mean_(Matrix::Zero(1, options.inputs)),
      running_variance_(Matrix::Ones(1, options.inputs)) {
  gain_.decay = 0;
  bias_.decay = 0;
}

NodeRows BatchNorm::forward(ForwardContext& context, const NodeRows& input) {
  const autograd::BatchNormOptions options{
      .momentum = options_.momentum,
      .epsilon = options_.epsilon,
      .is_training = context.is_training && !gain_.is_frozen,  // if frozen, the moments do not change either
      .part = context.part};
  return {.dense = autograd::batch_norm(dense(input, name_), context.tape.parameter(gain_),
                                        context.tape.parameter(bias_), running_mean_, running_variance_, options)};
}

void BatchNorm::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.insert(parameters.end(), {&gain_, &bias_});
}

void BatchNorm::collect_state(std::vector<std::pair<std::string, Matrix*>>& state) {
  state.emplace_back(name_ + ".running_mean", &running_mean_);
  state.emplace_back(name_ + ".running_variance", &running_variance_);
}

std::unique_ptr<Block> make_batch_norm(const json::Value& config, BuildContext& context) {
  BatchNormOptions options = read_fields(config, batch_norm_fields(), context.shape);
  options.inputs = context.width;
  return std::make_unique<BatchNorm>(options, context);
}

}  // namespace edgewise::nn
