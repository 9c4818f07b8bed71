#include "edgewise/nn/attention_readout.hpp"

#include <fmt/format.h>

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

/// A width of 0: the value is the input. The activation is that of the gate.
struct AttentionReadoutSettings : AttentionSettings {
  int hidden = 0;  ///< Of the gate; 0: the gate is one linear map.
};

class AttentionReadout : public Block {
 public:
  AttentionReadout(BuildContext& context, const AttentionReadoutSettings& s) : name_(context.name), settings_(s) {
    if (s.hidden > 0) hidden_.emplace(context, "hidden.", context.width, s.hidden, LinearMap::Bias::yes);
    gate_.emplace(context, "gate.", s.hidden > 0 ? s.hidden : context.width, s.heads, LinearMap::Bias::no);
    if (s.width > 0) value_.emplace(context, "value.", context.width, s.heads * s.width, LinearMap::Bias::yes);
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const graph::FrozenGraph& mask = begin_readout(context, input, name_);
    const NodeRows before_gate =
        hidden_ ? NodeRows{.dense = activate((*hidden_)(context, input), settings_.activation)} : input;
    const Variable score = (*gate_)(context, before_gate);
    const Variable value = value_ ? (*value_)(context, input) : dense(input, name_);
    const Variable no_score =
        context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), settings_.heads, false);
    no_score.value().setZero();
    autograd::AttentionOptions options = attention_options(context, settings_, name_);
    options.score = attention::Score::gat;
    options.of_score.negative_slope = 1;  // the score is the gate's output as it is
    return {.dense = autograd::attend(mask, {.query = no_score, .key = score, .value = value}, options)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    if (hidden_) hidden_->collect_parameters(parameters);
    gate_->collect_parameters(parameters);
    if (value_) value_->collect_parameters(parameters);
  }

 private:
  std::string name_;
  AttentionReadoutSettings settings_;
  std::optional<LinearMap> hidden_;
  std::optional<LinearMap> gate_;
  std::optional<LinearMap> value_;
};

}  // namespace

std::unique_ptr<Block> make_attention_readout(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "heads", "width", "hidden", "activation", "attention_dropout", "normaliser"});
  AttentionReadoutSettings settings;
  settings.mask = begin_graph_level(config, context);
  settings.heads = read_heads(config, 1);
  settings.width = read_width(config, "width", context.shape, 0);
  settings.hidden = read_width(config, "hidden", context.shape, 0);
  settings.activation = read_activation(config, "activation", Activation::relu);
  settings.attention_dropout = read_probability(config, "attention_dropout", 0);
  settings.normaliser = read_normaliser(config);
  if (settings.width == 0 && context.width % settings.heads != 0) {
    refuse(config, "heads", fmt::format("expected heads that divide the {} columns of the input", context.width));
  }
  auto block = std::make_unique<AttentionReadout>(context, settings);
  if (settings.width > 0) context.width = settings.heads * settings.width;
  return block;
}

}  // namespace edgewise::nn
