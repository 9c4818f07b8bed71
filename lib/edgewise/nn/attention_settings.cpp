#include "edgewise/nn/attention_settings.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

Residual read_residual(const json::Value& config) {
  const json::Value* value = config.find("residual");
  if (value == nullptr) return Residual::none;
  if (value->is_bool()) return value->as_bool() ? Residual::automatic : Residual::none;
  if (value->is_string() && value->as_string() == "projection") return Residual::projection;
  refuse(config, "residual", "expected true, false or \"projection\"");
}

AttentionSettings read_attention_settings(const json::Value& config, BuildContext& context) {
  const ModelShape& shape = context.shape;
  AttentionSettings settings;
  settings.heads = read_heads(config, 1);
  settings.width = read_width(config, "width", shape);
  if (static_cast<std::int64_t>(settings.heads) * settings.width > kWidestRow) {
    refuse(config, "heads", "expected heads * width of at most 16777216");
  }
  settings.merge = static_cast<Merge>(read_choice(config, "merge", {"concat", "mean"}, 0));
  settings.dropout = read_probability(config, "dropout", 0);
  settings.attention_dropout = read_probability(config, "attention_dropout", 0);
  settings.residual = read_residual(config);
  settings.activation = read_activation(config, "activation", Activation::none);
  settings.mask = use_mask(config, context);
  settings.normaliser = read_normaliser(config);
  settings.precision = static_cast<attention::Precision>(read_choice(config, "storage", attention::precision_names(), 0));
  settings.edge_features = read_edge_features(config, settings.mask.features);
  return settings;
}

attention::Normaliser read_normaliser(const json::Value& config) {
  return static_cast<attention::Normaliser>(read_choice(config, "normaliser", attention::normaliser_names(), 0));
}

autograd::AttentionOptions attention_options(ForwardContext& context, const AttentionSettings& settings,
                                             const std::string& name) {
  autograd::AttentionOptions options;
  options.heads = settings.heads;
  options.normaliser = settings.normaliser;
  options.precision = settings.precision;
  options.dropout = context.is_training ? settings.attention_dropout : 0;
  options.dropout_key = next_mask_key(context);
  options.weights = record_attention(context, name, settings.mask.name);
  return options;
}

AttentionRows drop_rows(ForwardContext& context, const AttentionSettings& settings, const NodeRows& input,
                        const std::string& block) {
  const NodeRows queries = drop(context, input, settings.dropout);
  if (!settings.attends_to_others()) return {queries, queries};
  return {queries, drop(context, key_rows(context, settings.mask, input, block), settings.dropout)};
}

Shortcut::Shortcut(BuildContext& context, Residual residual, int outputs, LinearMap::Bias bias)
    : block_(context.name), residual_(residual) {
  if (residual == Residual::automatic && context.width != outputs) residual_ = Residual::projection;
  if (residual_ == Residual::projection) map_.emplace(context, "residual.", context.width, outputs, bias);
}

autograd::Variable Shortcut::operator()(ForwardContext& context, const NodeRows& input) {
  return map_ ? (*map_)(context, input) : dense(input, block_);
}

void Shortcut::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  if (map_) map_->collect_parameters(parameters);
}

AttentionTail::AttentionTail(BuildContext& context, const AttentionSettings& settings, bool has_bias)
    : settings_(settings), shortcut_(context, settings.residual, settings.output_width(), LinearMap::Bias::no) {
  if (has_bias) bias_ = constant(context, "bias", 1, settings.output_width(), 0);
}

autograd::Variable AttentionTail::operator()(ForwardContext& context, autograd::Variable summed,
                                             const NodeRows& input) {
  autograd::Variable y =
      settings_.merge == Merge::mean ? autograd::mean_over_heads(summed, settings_.heads) : summed;
  const autograd::Variable bias = bias_ ? context.tape.parameter(*bias_) : autograd::Variable();
  if (!shortcut_.is_set()) return activate(y, bias, settings_.activation);
  if (bias_) y = autograd::add_row(y, bias);
  return activate(autograd::add(y, shortcut_(context, input)), settings_.activation);
}

void AttentionTail::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  if (bias_) parameters.push_back(&*bias_);
  shortcut_.collect_parameters(parameters);
}

}  // namespace edgewise::nn
