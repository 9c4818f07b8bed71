#include "edgewise/nn/gatv2.hpp"

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

struct Gatv2Settings : AttentionSettings {
  attention::Score score = attention::Score::gatv2;
  bool is_sharing_weights = false;
  float feature_dropout = 0;
  bool has_bias = true;
  bool has_edge_value = false;
  LinearMap::Bias projection_bias = LinearMap::Bias::yes;
  float negative_slope = 0.2F;
};

class Gatv2 : public Block {
 public:
  Gatv2(BuildContext& context, const Gatv2Settings& s)
      : name_(context.name),
        settings_(s),
        key_(context, "key.", key_width(s.mask, context), s.projected_width(), s.projection_bias),
        attention_vector_(glorot(context, "attention_vector", 1, s.projected_width(), s.heads, s.width)),
        tail_(context, s, s.has_bias) {
    if (!s.is_sharing_weights) {
      query_.emplace(context, "query.", context.width, s.projected_width(), s.projection_bias);
    }
    if (s.edge_features > 0) edge_weight_ = glorot(context, "edge_weight", s.edge_features, s.projected_width());
    if (s.has_edge_value) {
      value_edge_weight_ = glorot(context, "value_edge_weight", s.edge_features, s.projected_width());
    }
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const auto [dropped, keys] = drop_rows(context, settings_, input, name_);
    const Variable key = key_(context, keys);
    const Variable query = query_ ? (*query_)(context, dropped) : key;
    const Variable value = drop(context, key, settings_.feature_dropout);
    const Variable edge_weight = edge_weight_ ? context.tape.parameter(*edge_weight_) : Variable();
    const Variable value_edge_weight = value_edge_weight_ ? context.tape.parameter(*value_edge_weight_) : Variable();
    autograd::AttentionOptions options = attention_options(context, settings_, name_);
    options.score = settings_.score;
    options.of_score.negative_slope = settings_.negative_slope;
    const Variable summed = autograd::attend(mask_of(context, settings_.mask, name_),
                                             {.query = query,
                                              .key = key,
                                              .value = value,
                                              .attention_vector = context.tape.parameter(attention_vector_),
                                              .edge_weight = edge_weight,
                                              .value_edge_weight = value_edge_weight},
                                             options);
    return {.dense = tail_(context, summed, dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    key_.collect_parameters(parameters);
    if (query_) query_->collect_parameters(parameters);
    parameters.push_back(&attention_vector_);
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (value_edge_weight_) parameters.push_back(&*value_edge_weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  std::string name_;
  Gatv2Settings settings_;
  LinearMap key_;
  std::optional<LinearMap> query_;
  autograd::Parameter attention_vector_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> value_edge_weight_;
  AttentionTail tail_;
};

std::unique_ptr<Block> make(attention::Score score, const json::Value& config, BuildContext& context) {
  Gatv2Settings settings{read_attention_settings(config, context)};
  settings.score = score;
  settings.is_sharing_weights = config.get("share_weights", false);
  if (settings.is_sharing_weights && settings.attends_to_others()) {
    refuse(config, "share_weights", "expected keys and queries from the same node set");
  }
  settings.feature_dropout = read_probability(config, "feature_dropout", 0);
  settings.has_bias = config.get("bias", true);
  settings.projection_bias = config.get("projection_bias", true) ? LinearMap::Bias::yes : LinearMap::Bias::no;
  settings.has_edge_value = config.get("edge_value", false) && settings.edge_features > 0;
  settings.negative_slope = static_cast<float>(config.get("negative_slope", 0.2));
  auto block = std::make_unique<Gatv2>(context, settings);
  context.width = settings.output_width();
  return block;
}

}  // namespace

std::unique_ptr<Block> make_gatv2(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "heads", "merge", "share_weights", "dropout", "attention_dropout",
                     "feature_dropout", "bias", "projection_bias", "residual", "negative_slope", "activation",
                     "edge_features", "edge_value", "mask", "normaliser", "storage"});
  return make(attention::Score::gatv2, config, context);
}

std::unique_ptr<Block> make_bahdanau(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "heads", "merge", "share_weights", "dropout", "attention_dropout",
                     "feature_dropout", "bias", "projection_bias", "residual", "activation", "edge_features",
                     "edge_value", "mask", "normaliser", "storage"});
  return make(attention::Score::bahdanau, config, context);
}

}  // namespace edgewise::nn
