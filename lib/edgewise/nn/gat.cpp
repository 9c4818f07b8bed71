#include "edgewise/nn/gat.hpp"

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/head_dots.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

struct GatSettings : AttentionSettings {
  bool has_dropout_per_head = false;
  float feature_dropout = 0;
  bool has_bias = true;
  bool has_score_bias = false;
  float negative_slope = 0.2F;
};

class Gat : public Block {
 public:
  Gat(BuildContext& context, const GatSettings& s)
      : name_(context.name),
        settings_(s),
        weight_(glorot(context, "weight", key_width(s.mask, context), s.projected_width())),
        source_vector_(glorot(context, "source_vector", 1, s.projected_width(), s.heads, s.width)),
        destination_vector_(glorot(context, "destination_vector", 1, s.projected_width(), s.heads, s.width)),
        tail_(context, s, s.has_bias) {
    if (s.has_score_bias) {
      source_bias_ = constant(context, "source_bias", 1, s.heads, 0);
      destination_bias_ = constant(context, "destination_bias", 1, s.heads, 0);
    }
    if (s.edge_features > 0) {
      edge_weight_ = glorot(context, "edge_weight", s.edge_features, s.heads);
    }
    if (s.attends_to_others()) query_weight_ = glorot(context, "query_weight", context.width, s.projected_width());
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    autograd::Tape& tape = context.tape;
    const bool is_shared = !settings_.has_dropout_per_head || !context.is_training || settings_.dropout == 0;
    const NodeRows dropped = is_shared || tail_.has_shortcut() ? drop(context, input, settings_.dropout) : input;
    const Variable weight = tape.parameter(weight_);
    const Variable z = is_shared ? project(key_rows_of(context, dropped), weight)
                                 : project_per_head(context, input, weight, settings_.heads, settings_.dropout);
    const auto [source_score, destination_score] = score_halves(tape, z, dropped);
    const Variable value = drop(context, z, settings_.feature_dropout);
    const Variable edge_weight = edge_weight_ ? tape.parameter(*edge_weight_) : Variable();
    autograd::AttentionOptions options = attention_options(context, settings_, name_);
    options.score = attention::Score::gat;
    options.of_score.negative_slope = settings_.negative_slope;
    const Variable summed = autograd::attend(
        mask_of(context, settings_.mask, name_),
        {.query = destination_score, .key = source_score, .value = value, .edge_bias = edge_weight}, options);
    return {.dense = tail_(context, summed, dropped)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.insert(parameters.end(), {&weight_, &source_vector_, &destination_vector_});
    if (source_bias_) parameters.insert(parameters.end(), {&*source_bias_, &*destination_bias_});
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (query_weight_) parameters.push_back(&*query_weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  /// `dropped`, or the other node set's rows with a dropout of their own.
  NodeRows key_rows_of(ForwardContext& context, const NodeRows& dropped) const {
    if (!settings_.attends_to_others()) return dropped;
    return drop(context, key_rows(context, settings_.mask, dropped, name_), settings_.dropout);
  }

  autograd::HeadDots score_halves(autograd::Tape& tape, Variable z, const NodeRows& queries) {
    const auto vector = [&](autograd::Parameter& direction, std::optional<autograd::Parameter>& bias) {
      return autograd::HeadVector{tape.parameter(direction), bias ? tape.parameter(*bias) : Variable()};
    };
    const autograd::HeadVector source = vector(source_vector_, source_bias_);
    const autograd::HeadVector destination = vector(destination_vector_, destination_bias_);
    if (!query_weight_) return autograd::head_dots(z, source, destination, settings_.heads);
    const Variable z_queries = project(queries, tape.parameter(*query_weight_));
    return {autograd::head_dots(z, source, source, settings_.heads).source,
            autograd::head_dots(z_queries, destination, destination, settings_.heads).destination};
  }

  std::string name_;
  GatSettings settings_;
  autograd::Parameter weight_;
  autograd::Parameter source_vector_;
  autograd::Parameter destination_vector_;
  std::optional<autograd::Parameter> source_bias_;
  std::optional<autograd::Parameter> destination_bias_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> query_weight_;  // where the mask goes between two node sets
  AttentionTail tail_;
};

}  // namespace

std::unique_ptr<Block> make_gat(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "width", "heads", "merge", "dropout", "dropout_per_head", "attention_dropout",
                     "feature_dropout", "bias", "score_bias", "residual", "negative_slope", "activation",
                     "edge_features", "mask", "normaliser", "storage"});
  GatSettings settings{read_attention_settings(config, context)};
  settings.has_dropout_per_head = config.get("dropout_per_head", false);
  if (settings.has_dropout_per_head && settings.attends_to_others()) {
    refuse(config, "dropout_per_head", "expected keys and queries from the same node set");
  }
  settings.feature_dropout = read_probability(config, "feature_dropout", 0);
  settings.has_bias = config.get("bias", true);
  settings.has_score_bias = config.get("score_bias", false);
  settings.negative_slope = static_cast<float>(config.get("negative_slope", 0.2));
  auto block = std::make_unique<Gat>(context, settings);
  context.width = settings.output_width();
  return block;
}

}  // namespace edgewise::nn
