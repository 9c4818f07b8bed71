#include "edgewise/nn/attention_readout.hpp"

#include <fmt/format.h>

#include <array>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr std::array kAttentionReadoutFields = {
    field<&AttentionReadoutOptions::heads, HeadCount>("heads", "heads, which share the columns of the value"),
    field<&AttentionReadoutOptions::width, OptionalWidth>(
        "width", "of each head of the value; by default the value is the input"),
    field<&AttentionReadoutOptions::hidden, OptionalWidth>("hidden", "of the gate; by default it is one linear map"),
    field<&AttentionReadoutOptions::activation, Choice<activation_names>>("activation", "of the gate"),
    field<&AttentionReadoutOptions::attention_dropout, Probability>("attention_dropout", "on the attention weights"),
    field<&AttentionReadoutOptions::normaliser, Choice<attention::normaliser_names>>(
        "normaliser", "how scores become weights"),
};

}  // namespace

std::span<const Field<AttentionReadoutOptions>> attention_readout_fields() { return kAttentionReadoutFields; }

AttentionReadout::AttentionReadout(const AttentionReadoutOptions& options, BuildContext& context)
    : name_(context.name), options_(options) {
  const int inputs = options.inputs;
  if (options.hidden > 0) hidden_.emplace(context, "hidden.", inputs, options.hidden, LinearMap::Bias::yes);
  gate_.emplace(context, "gate.", options.hidden > 0 ? options.hidden : inputs, options.heads, LinearMap::Bias::no);
  if (options.width > 0) value_.emplace(context, "value.", inputs, options.heads * options.width, LinearMap::Bias::yes);
}

NodeRows AttentionReadout::forward(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph& mask = begin_readout(context, input, name_);
  const NodeRows before_gate =
      hidden_ ? NodeRows{.dense = activate((*hidden_)(context, input), options_.activation)} : input;
  const Variable score = (*gate_)(context, before_gate);
  const Variable value = value_ ? (*value_)(context, input) : dense(input, name_);
  const Variable no_score =
      context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), options_.heads, false);
  no_score.value().setZero();
  autograd::AttentionOptions attend_options = attention_options(context, readout_attention(options_), name_);
  attend_options.score = attention::Score::gat;
  attend_options.of_score.negative_slope = 1;  // the score is the output of the gate, unchanged
  return {.dense = autograd::attend(mask, {.query = no_score, .key = score, .value = value}, attend_options)};
}

void AttentionReadout::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  if (hidden_) hidden_->collect_parameters(parameters);
  gate_->collect_parameters(parameters);
  if (value_) value_->collect_parameters(parameters);
}

std::unique_ptr<ReadoutBlock> make_attention_readout(const json::Value& config, BuildContext& context) {
  AttentionReadoutOptions options = read_fields(config, attention_readout_fields(), context.shape);
  begin_graph_level(config, context);
  options.inputs = context.width;
  if (options.width == 0 && context.width % options.heads != 0) {
    refuse(config, "heads", fmt::format("expected heads that divide the {} columns of the input", context.width));
  }
  context.width = options.output_width();
  return std::make_unique<AttentionReadout>(options, context);
}

}  // namespace edgewise::nn
