#include "edgewise/nn/gatv2.hpp"

#include <optional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/kept_rows.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

LinearMap::Bias bias_of(const AttentionOptions& options) {
  return options.projection_bias ? LinearMap::Bias::yes : LinearMap::Bias::no;
}

class Gatv2 : public Block {
 public:
  Gatv2(BuildContext& context, const AttentionOptions& options)
      : name_(context.name),
        options_(options),
        key_(context, "key.", options.key_width(), options.projected_width(), bias_of(options)),
        attention_vector_(
            glorot(context, "attention_vector", 1, options.projected_width(), options.heads, options.width)),
        tail_(context, tail_options(options)) {
    if (!options.share_weights) {
      query_.emplace(context, "query.", options.inputs, options.projected_width(), bias_of(options));
    }
    if (options.edge_columns() > 0)
      edge_weight_ = glorot(context, "edge_weight", options.edge_columns(), options.projected_width());
    if (options.edge_value && options.edge_columns() > 0) {
      value_edge_weight_ = glorot(context, "value_edge_weight", options.edge_columns(), options.projected_width());
    }
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const Edges edges = next_edges(context, options_.mask, name_);
    const AttentionRows rows = drop_rows(context, options_, input, row_count(edges.mask), name_);
    const auto [query, key] = project_rows(context, rows);
    const bool is_value_key = !context.is_training || options_.feature_dropout == 0;
    const Variable value = is_value_key ? Variable() : drop(context, key, options_.feature_dropout);
    const Variable seen = is_value_key ? sources(edges, key) : Variable();
    const auto [seen_key, seen_value] = is_value_key ? std::pair(seen, seen) : sources(edges, key, value);
    const Variable edge_weight = edge_weight_ ? context.tape.parameter(*edge_weight_) : Variable();
    const Variable value_edge_weight = value_edge_weight_ ? context.tape.parameter(*value_edge_weight_) : Variable();
    autograd::AttentionOptions attend_options = attention_options(context, options_, name_);
    attend_options.score = options_.score;
    attend_options.of_score.negative_slope = options_.negative_slope;
    const Variable summed = autograd::attend(edges.mask,
                                             {.query = query,
                                              .key = seen_key,
                                              .value = seen_value,
                                              .attention_vector = context.tape.parameter(attention_vector_),
                                              .edge_weight = edge_weight,
                                              .value_edge_weight = value_edge_weight},
                                             attend_options);
    return {.dense = tail_(context, summed, rows.queries)};
  }

  BlockTraits traits() const override { return attention_traits(options_); }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    key_.collect_parameters(parameters);
    if (query_) query_->collect_parameters(parameters);
    parameters.push_back(&attention_vector_);
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (value_edge_weight_) parameters.push_back(&*value_edge_weight_);
    tail_.collect_parameters(parameters);
  }

 private:
  struct Projected {
    Variable query;
    Variable key;
  };

  Projected project_rows(ForwardContext& context, const AttentionRows& rows) {
    if (options_.attends_to_others()) {
      const Variable key = made_once(context, name_, [&] { return key_(context, rows.keys); });
      return {query_ ? (*query_)(context, rows.queries) : key, key};
    }
    if (query_ && rows.are_equal()) {
      const auto [key, query, none] = map_each(context, rows.keys, {&key_, &*query_});
      return {query, with_past(context, name_, key)};
    }
    const Variable key = key_(context, rows.keys);
    const Variable query =
        query_ ? (*query_)(context, rows.queries) : autograd::leading_rows(key, rows.queries.count());
    return {query, with_past(context, name_, key)};
  }

  std::string name_;
  AttentionOptions options_;
  LinearMap key_;
  std::optional<LinearMap> query_;
  autograd::Parameter attention_vector_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> value_edge_weight_;
  AttentionTail tail_;
};

}  // namespace

std::unique_ptr<Block> make_gatv2(const AttentionOptions& options, BuildContext& context) {
  check_options(options, options.score == attention::Score::gatv2 ? "gatv2" : "bahdanau");
  return std::make_unique<Gatv2>(context, options);
}

std::unique_ptr<Block> make_gatv2(const json::Value& config, BuildContext& context) {
  return make_gatv2(read_attention_options(attention::Score::gatv2, config, context), context);
}

std::unique_ptr<Block> make_bahdanau(const json::Value& config, BuildContext& context) {
  return make_gatv2(read_attention_options(attention::Score::bahdanau, config, context), context);
}

}  // namespace edgewise::nn
