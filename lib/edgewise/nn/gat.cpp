#include "edgewise/nn/gat.hpp"

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/head_dots.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

class Gat : public Block {
 public:
  Gat(BuildContext& context, const AttentionOptions& options)
      : name_(context.name),
        options_(options),
        weight_(glorot(context, "weight", options.key_width(), options.projected_width())),
        source_vector_(glorot(context, "source_vector", 1, options.projected_width(), options.heads, options.width)),
        destination_vector_(
            glorot(context, "destination_vector", 1, options.projected_width(), options.heads, options.width)),
        tail_(context, tail_options(options)) {
    if (options.score_bias) {
      source_bias_ = constant(context, "source_bias", 1, options.heads, 0);
      destination_bias_ = constant(context, "destination_bias", 1, options.heads, 0);
    }
    if (options.edge_columns() > 0) {
      edge_weight_ = glorot(context, "edge_weight", options.edge_columns(), options.heads);
    }
    if (options.attends_to_others())
      query_weight_ = glorot(context, "query_weight", options.inputs, options.projected_width());
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    autograd::Tape& tape = context.tape;
    const Edges edges = next_edges(context, options_.mask, name_);
    const bool is_shared = !options_.dropout_per_head || !context.is_training || options_.dropout == 0;
    const NodeRows dropped = is_shared || tail_.has_shortcut() ? drop(context, input, options_.dropout) : input;
    const Variable weight = tape.parameter(weight_);
    const Variable z = is_shared ? project(key_rows_of(context, dropped), weight)
                                 : project_per_head(context, input, weight, options_.heads, options_.dropout);
    const auto [source_score, destination_score] = score_halves(tape, z, dropped, row_count(edges.mask));
    const Variable value = drop(context, z, options_.feature_dropout);
    const Variable edge_weight = edge_weight_ ? tape.parameter(*edge_weight_) : Variable();
    autograd::AttentionOptions attend_options = attention_options(context, options_, name_);
    attend_options.score = attention::Score::gat;
    attend_options.of_score.negative_slope = options_.negative_slope;
    const auto [seen_key, seen_value] = sources(edges, source_score, value);
    const Variable summed = autograd::attend(
        edges.mask,
        {.query = destination_score, .key = seen_key, .value = seen_value, .edge_bias = edge_weight}, attend_options);
    return {.dense = tail_(context, summed, dropped)};
  }

  BlockTraits traits() const override { return attention_traits(options_); }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.insert(parameters.end(), {&weight_, &source_vector_, &destination_vector_});
    if (source_bias_) parameters.insert(parameters.end(), {&*source_bias_, &*destination_bias_});
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (query_weight_) parameters.push_back(&*query_weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  /// `dropped`, or the other node set's rows with their own dropout.
  NodeRows key_rows_of(ForwardContext& context, const NodeRows& dropped) const {
    if (!options_.attends_to_others()) return dropped;
    return drop(context, key_rows(context, options_.mask, dropped, name_), options_.dropout);
  }

  autograd::HeadDots score_halves(autograd::Tape& tape, Variable z, const NodeRows& queries, Eigen::Index rows) {
    const auto vector = [&](autograd::Parameter& direction, std::optional<autograd::Parameter>& bias) {
      return autograd::HeadVector{tape.parameter(direction), bias ? tape.parameter(*bias) : Variable()};
    };
    const autograd::HeadVector source = vector(source_vector_, source_bias_);
    const autograd::HeadVector destination = vector(destination_vector_, destination_bias_);
    if (!query_weight_) {
      const autograd::HeadDots dots = autograd::head_dots(z, source, destination, options_.heads);
      return {dots.source, autograd::leading_rows(dots.destination, rows)};
    }
    const Variable z_queries = project(queries, tape.parameter(*query_weight_));
    return {autograd::head_dots(z, source, source, options_.heads).source,
            autograd::head_dots(z_queries, destination, destination, options_.heads).destination};
  }

  std::string name_;
  AttentionOptions options_;
  autograd::Parameter weight_;
  autograd::Parameter source_vector_;
  autograd::Parameter destination_vector_;
  std::optional<autograd::Parameter> source_bias_;
  std::optional<autograd::Parameter> destination_bias_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> query_weight_;  // if the mask connects two node sets
  AttentionTail tail_;
};

}  // namespace

std::unique_ptr<Block> make_gat(const AttentionOptions& options, BuildContext& context) {
  check_options(options, "gat");
  return std::make_unique<Gat>(context, options);
}

std::unique_ptr<Block> make_gat(const json::Value& config, BuildContext& context) {
  return make_gat(read_attention_options(attention::Score::gat, config, context), context);
}

}  // namespace edgewise::nn
