#include "edgewise/nn/linear.hpp"

#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

LinearMap::LinearMap(BuildContext& context, const std::string& prefix, int inputs, int outputs, Bias bias)
    : weight_(glorot(context, prefix + "weight", inputs, outputs)) {
  if (bias == Bias::yes) bias_ = constant(context, prefix + "bias", 1, outputs, 0);
}

autograd::Variable LinearMap::operator()(ForwardContext& context, const NodeRows& input) {
  return map_each(context, input, {this})[0];
}

autograd::LinearFactor LinearMap::factor(ForwardContext& context) {
  return {context.tape.parameter(weight_), bias_ ? context.tape.parameter(*bias_) : autograd::Variable()};
}

void LinearMap::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&weight_);
  if (bias_) parameters.push_back(&*bias_);
}

std::array<autograd::Variable, kMaxMaps> map_each(ForwardContext& context, const NodeRows& input,
                                                   std::initializer_list<LinearMap*> maps) {
  std::array<autograd::LinearFactor, kMaxMaps> factors;
  std::size_t count = 0;
  for (LinearMap* map : maps) factors[count++] = map->factor(context);
  return project_each(input, std::span(factors).first(count));
}

namespace {

constexpr std::array kLinearFields = {
    field<&LinearOptions::width, Width>("width", "columns of the output"),
    field<&LinearOptions::bias, Flag>("bias", "whether b is added"),
    field<&LinearOptions::tied, Flag>("tied", "whether W is the transpose of the first linear block's"),
};

/// y = x E^T + b with the embeddings E [width, inputs] of another block.
class TiedLinear : public Block {
 public:
  TiedLinear(const LinearOptions& options, autograd::Parameter& embeddings, BuildContext& context)
      : name_(context.name), embeddings_(embeddings) {
    if (options.bias) bias_ = constant(context, "bias", 1, options.width, 0);
  }
  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const autograd::Variable bias = bias_ ? context.tape.parameter(*bias_) : autograd::Variable();
    return {.dense = autograd::linear_transposed(dense(input, name_), context.tape.parameter(embeddings_), bias)};
  }
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    if (bias_) parameters.push_back(&*bias_);
  }

 private:
  std::string name_;
  autograd::Parameter& embeddings_;
  std::optional<autograd::Parameter> bias_;
};

}  // namespace

std::span<const Field<LinearOptions>> linear_fields() { return kLinearFields; }

Linear::Linear(const LinearOptions& options, BuildContext& context)
    : map_(context, "", options.inputs, options.width, options.bias ? LinearMap::Bias::yes : LinearMap::Bias::no) {}

NodeRows Linear::forward(ForwardContext& context, const NodeRows& input) { return {.dense = map_(context, input)}; }

void Linear::collect_parameters(std::vector<autograd::Parameter*>& parameters) { map_.collect_parameters(parameters); }

std::unique_ptr<Block> make_linear(const json::Value& config, BuildContext& context) {
  LinearOptions options = read_fields(config, linear_fields(), context.shape);
  options.inputs = context.width;
  context.width = options.width;
  if (options.tied) {
    const auto found = context.embeddings.find(context.node_set);
    if (found == context.embeddings.end() || found->second->value.rows() != options.width ||
        found->second->value.cols() != options.inputs)
      refuse(config, "tied", "expected a first linear block that maps as many columns to as many inputs");
    return std::make_unique<TiedLinear>(options, *found->second, context);
  }
  auto block = std::make_unique<Linear>(options, context);
  context.embeddings.emplace(context.node_set, &block->weight());
  return block;
}

}  // namespace edgewise::nn
