#include "edgewise/nn/layer_norm.hpp"

#include <array>

#include "edgewise/autograd/layer_norm.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kLayerNormFields = {
    field<&LayerNormOptions::epsilon, AboveZero>("epsilon", "added to the variance"),
};

}  // namespace

std::span<const Field<LayerNormOptions>> layer_norm_fields() { return kLayerNormFields; }

LayerNorm::LayerNorm(const LayerNormOptions& options, BuildContext& context)
    : name_(context.name),
      gain_(constant(context, "gain", 1, options.inputs, 1)),
      bias_(constant(context, "bias", 1, options.inputs, 0)),
      epsilon_(options.epsilon) {
  gain_.decay = 0;
  bias_.decay = 0;
}

NodeRows LayerNorm::forward(ForwardContext& context, const NodeRows& input) {
  return {.dense = autograd::layer_norm(dense(input, name_), context.tape.parameter(gain_),
                                        context.tape.parameter(bias_), epsilon_)};
}

void LayerNorm::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.insert(parameters.end(), {&gain_, &bias_});
}

std::unique_ptr<Block> make_layer_norm(const json::Value& config, BuildContext& context) {
  LayerNormOptions options = read_fields(config, layer_norm_fields(), context.shape);
  options.inputs = context.width;
  return std::make_unique<LayerNorm>(options, context);
}

}  // namespace edgewise::nn
