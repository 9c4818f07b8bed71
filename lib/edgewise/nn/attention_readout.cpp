#include "edgewise/nn/attention_readout.hpp"

#include <fmt/format.h>

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/signal.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

struct AttentionReadoutSettings {
  int heads = 1;
  int width = 0;   ///< Of each head of the value; 0: the value is the input.
  int hidden = 0;  ///< Of the gate; 0: the gate is one linear map.
  Activation activation = Activation::relu;
  float attention_dropout = 0;
};

class AttentionReadout : public Block {
 public:
  AttentionReadout(BuildContext& context, const AttentionReadoutSettings& s) : name_(context.name), settings_(s) {
    if (s.hidden > 0) hidden_.emplace(context, "hidden.", context.width, s.hidden, LinearMap::Bias::yes);
    gate_.emplace(context, "gate.", s.hidden > 0 ? s.hidden : context.width, s.heads, LinearMap::Bias::no);
    if (s.width > 0) value_.emplace(context, "value.", context.width, s.heads * s.width, LinearMap::Bias::yes);
  }

  Signal forward(ForwardContext& context, const Signal& input) override {
    const graph::FrozenGraph& mask = mask_of(context, MaskKind::readout, name_);
    const Signal before_gate = hidden_ ? Signal{.dense = activate((*hidden_)(context, input), settings_.activation)}
                                       : input;
    const Variable score = (*gate_)(context, before_gate);
    const Variable value = value_ ? (*value_)(context, input) : dense(input, name_);
    const Variable no_score =
        context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), settings_.heads, false);
    no_score.value().setZero();
    // A slope of 1: the score is not bent.
    return {.dense = autograd::attend_additive(
                mask, score, no_score, value, {},
                {.heads = settings_.heads,
                 .negative_slope = 1,
                 .dropout = context.is_training ? settings_.attention_dropout : 0,
                 .dropout_key = next_mask_key(context),
                 .weights = record_attention(context, name_, MaskKind::readout)})};
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
  config.allow_only({"type", "heads", "width", "hidden", "activation", "attention_dropout"});
  begin_graph_level(config, context);
  AttentionReadoutSettings settings;
  settings.heads = read_heads(config, 1);
  settings.width = read_width(config, "width", context.shape, 0);
  settings.hidden = read_width(config, "hidden", context.shape, 0);
  settings.activation = read_activation(config, "activation", Activation::relu);
  settings.attention_dropout = read_probability(config, "attention_dropout", 0);
  if (settings.width == 0 && context.width % settings.heads != 0) {
    refuse(config, "heads", fmt::format("expected heads that divide the {} columns of the input", context.width));
  }
  auto block = std::make_unique<AttentionReadout>(context, settings);
  if (settings.width > 0) context.width = settings.heads * settings.width;
  return block;
}

}  // namespace edgewise::nn
