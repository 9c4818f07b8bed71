#include "edgewise/nn/dot_product.hpp"

#include <optional>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

enum class EdgeMode { full, bias };

struct DotProductSettings : AttentionSettings {
  LinearMap::Bias bias = LinearMap::Bias::yes;
  EdgeMode edge_mode = EdgeMode::full;
  bool has_scale = true;
  bool has_output_projection = false;
  bool has_beta = false;
};

class DotProduct : public Block {
 public:
  DotProduct(BuildContext& context, const DotProductSettings& s)
      : name_(context.name),
        settings_(s),
        query_(context, "query.", context.width, s.projected_width(), s.bias),
        key_(context, "key.", key_width(s.mask, context), s.projected_width(), s.bias),
        value_(context, "value.", key_width(s.mask, context), s.projected_width(), s.bias),
        shortcut_(context, s.residual, s.output_width(), s.bias) {
    if (s.edge_features > 0 && s.edge_mode == EdgeMode::full) {
      edge_weight_ = glorot(context, "edge_weight", s.edge_features, s.projected_width());
    }
    if (s.edge_features > 0 && s.edge_mode == EdgeMode::bias) {
      edge_bias_ = glorot(context, "edge_bias", s.edge_features, s.heads);
    }
    if (s.has_output_projection) {
      output_.emplace(context, "output.", s.output_width(), s.output_width(), LinearMap::Bias::yes);
    }
    if (s.has_beta) gate_ = glorot(context, "gate", 3 * s.output_width(), 1);
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const auto [dropped, keys] = drop_rows(context, settings_, input, name_);
    const Variable query = query_(context, dropped);
    const Variable key = key_(context, keys);
    const Variable value = value_(context, keys);
    const Variable edge_weight = edge_weight_ ? context.tape.parameter(*edge_weight_) : Variable();
    const Variable edge_bias = edge_bias_ ? context.tape.parameter(*edge_bias_) : Variable();
    autograd::AttentionOptions options = attention_options(context, settings_, name_);
    options.of_score.scale = settings_.has_scale;
    Variable y = autograd::attend(mask_of(context, settings_.mask, name_),
                                  {.query = query,
                                   .key = key,
                                   .value = value,
                                   .edge_weight = edge_weight,
                                   .value_edge_weight = edge_weight,
                                   .edge_bias = edge_bias},
                                  options);
    if (settings_.merge == Merge::mean) y = autograd::mean_over_heads(y, settings_.heads);
    if (output_) y = (*output_)(context, {.dense = y});
    if (shortcut_.is_set()) y = join(context, y, shortcut_(context, dropped));
    return {.dense = activate(y, settings_.activation)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    query_.collect_parameters(parameters);
    key_.collect_parameters(parameters);
    value_.collect_parameters(parameters);
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (edge_bias_) parameters.push_back(&*edge_bias_);
    if (output_) output_->collect_parameters(parameters);
    shortcut_.collect_parameters(parameters);
    if (gate_) parameters.push_back(&*gate_);
  }

 private:
  Variable join(ForwardContext& context, Variable message, Variable past) {
    if (!gate_) return autograd::add(message, past);
    const Variable parts[] = {message, past, autograd::subtract(message, past)};
    const Variable logit = autograd::linear(autograd::concat_columns(parts), context.tape.parameter(*gate_));
    return autograd::mix(autograd::sigmoid(logit), past, message);
  }

  std::string name_;
  DotProductSettings settings_;
  LinearMap query_;
  LinearMap key_;
  LinearMap value_;
  Shortcut shortcut_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> edge_bias_;
  std::optional<LinearMap> output_;
  std::optional<autograd::Parameter> gate_;
};

}  // namespace

std::unique_ptr<Block> make_dot_product(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "heads", "merge", "dropout", "attention_dropout", "bias", "output_projection",
                     "residual", "beta", "activation", "edge_features", "edge_mode", "mask", "normaliser",
                     "scale", "storage"});
  DotProductSettings settings{read_attention_settings(config, context)};
  settings.bias = config.get("bias", true) ? LinearMap::Bias::yes : LinearMap::Bias::no;
  settings.edge_mode = static_cast<EdgeMode>(read_choice(config, "edge_mode", {"full", "bias"}, 0));
  settings.has_scale = config.get("scale", true);
  settings.has_output_projection = config.get("output_projection", false);
  settings.has_beta = config.get("beta", false);
  if (settings.has_beta && settings.residual == Residual::none) {
    refuse(config, "beta", "expected \"residual\" beside it, which it gates");
  }
  auto block = std::make_unique<DotProduct>(context, settings);
  context.width = settings.output_width();
  return block;
}

}  // namespace edgewise::nn
