#include "edgewise/nn/gatv2.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/autograd/linear_groups.hpp"
#include "edgewise/autograd/placed_sum.hpp"
#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/graph/relations.hpp"
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

/// The maps of a GATv2, and what its scores are made with.
class Gatv2Maps {
 public:
  Gatv2Maps(BuildContext& context, const std::string& prefix, const AttentionOptions& options)
      : key(context, prefix + "key.", options.key_width(), options.projected_width(), bias_of(options)),
        attention_vector_(
            glorot(context, prefix + "attention_vector", 1, options.projected_width(), options.heads, options.width)) {}

  /// The rest, whose initial values are drawn after those of the end of a layer.
  void complete(BuildContext& context, const std::string& prefix, const AttentionOptions& options) {
    if (!options.share_weights) {
      query.emplace(context, prefix + "query.", options.inputs, options.projected_width(), bias_of(options));
    }
    if (options.edge_columns() == 0) return;
    edge_weight_ = glorot(context, prefix + "edge_weight", options.edge_columns(), options.projected_width());
    if (options.edge_value) {
      value_edge_weight_ =
          glorot(context, prefix + "value_edge_weight", options.edge_columns(), options.projected_width());
    }
  }

  /// The sums along the mask of values of each head, side by side.
  Variable attend(ForwardContext& context, const AttentionOptions& options, const std::string& name,
                  const graph::FrozenGraph& mask, Variable seen_query, Variable seen_key, Variable seen_value) {
    const Variable edge_weight = edge_weight_ ? context.tape.parameter(*edge_weight_) : Variable();
    const Variable value_edge_weight = value_edge_weight_ ? context.tape.parameter(*value_edge_weight_) : Variable();
    autograd::AttentionOptions attend_options = attention_options(context, options, name);
    attend_options.score = options.score;
    attend_options.of_score.negative_slope = options.negative_slope;
    return autograd::attend(mask,
                            {.query = seen_query,
                             .key = seen_key,
                             .value = seen_value,
                             .attention_vector = context.tape.parameter(attention_vector_),
                             .edge_weight = edge_weight,
                             .value_edge_weight = value_edge_weight},
                            attend_options);
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) {
    key.collect_parameters(parameters);
    if (query) query->collect_parameters(parameters);
    parameters.push_back(&attention_vector_);
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (value_edge_weight_) parameters.push_back(&*value_edge_weight_);
  }

  LinearMap key;
  std::optional<LinearMap> query;  // unless it is that of the key

 private:
  autograd::Parameter attention_vector_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> value_edge_weight_;
};

/// Whether values are keys with a dropout of their own.
bool drops_values(const ForwardContext& context, const AttentionOptions& options) {
  return context.is_training && options.feature_dropout > 0;
}

class Gatv2 : public Block {
 public:
  Gatv2(BuildContext& context, const AttentionOptions& options)
      : name_(context.name), options_(options), maps_(context, "", options), tail_(context, tail_options(options)) {
    maps_.complete(context, "", options);
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const Edges edges = next_edges(context, options_.mask, name_);
    const AttentionRows rows = drop_rows(context, options_, input, row_count(edges.mask), name_);
    const auto [query, key] = project_rows(context, rows);
    const bool is_value_key = !drops_values(context, options_);
    const Variable value = is_value_key ? Variable() : drop(context, key, options_.feature_dropout);
    const Variable seen = is_value_key ? sources(edges, key) : Variable();
    const auto [seen_key, seen_value] = is_value_key ? std::pair(seen, seen) : sources(edges, key, value);
    const Variable summed = maps_.attend(context, options_, name_, edges.mask, query, seen_key, seen_value);
    return {.dense = tail_(context, summed, rows.queries)};
  }

  BlockTraits traits() const override { return attention_traits(options_); }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    maps_.collect_parameters(parameters);
    tail_.collect_parameters(parameters);
  }

 private:
  struct Projected {
    Variable query;
    Variable key;
  };

  Projected project_rows(ForwardContext& context, const AttentionRows& rows) {
    if (options_.attends_to_others()) {
      const Variable key = made_once(context, name_, [&] { return maps_.key(context, rows.keys); });
      return {maps_.query ? (*maps_.query)(context, rows.queries) : key, key};
    }
    if (maps_.query && rows.are_equal()) {
      const auto [key, query, none] = map_each(context, rows.keys, {&maps_.key, &*maps_.query});
      return {query, with_past(context, name_, key)};
    }
    const Variable key = maps_.key(context, rows.keys);
    const Variable query =
        maps_.query ? (*maps_.query)(context, rows.queries) : autograd::leading_rows(key, rows.queries.count());
    return {query, with_past(context, name_, key)};
  }

  std::string name_;
  AttentionOptions options_;
  Gatv2Maps maps_;
  AttentionTail tail_;
};

/// A GATv2 of each relation. Of dense rows each maps those of nodes that have edges of it, and no others.
class RelationalGatv2 : public Block {
 public:
  RelationalGatv2(BuildContext& context, const AttentionOptions& options)
      : name_(context.name), options_(options), tail_(context, tail_options(options)) {
    for (MaskShape& mask : relation_masks(options.relations, options.edge_columns(), context)) {
      AttentionOptions of_one = options;
      of_one.relations = 0;
      of_one.mask = std::move(mask);
      const std::string prefix = fmt::format("relations.{}.", relations_.size() + 1);
      relations_.push_back({of_one, Gatv2Maps(context, prefix, of_one)});
      relations_.back().maps.complete(context, prefix, of_one);
    }
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const std::size_t step = context.next_step;
    AttentionRows rows;
    NodeRows keys;
    std::vector<autograd::PlacedRows> sums;
    for (Relation& relation : relations_) {
      context.next_step = step;  // all relations are in one step along the edges
      const Edges edges = next_edges(context, relation.options.mask, name_);
      if (sums.empty()) {
        rows = drop_rows(context, options_, input, row_count(edges.mask), name_);
        keys = rows.keys.sparse.is_set() ? rows.keys : NodeRows{.dense = sources(edges, dense(rows.keys, name_))};
      }
      sums.push_back(attend(context, relation, edges, rows.queries, keys));
    }
    const Variable summed =
        autograd::placed_sum(context.tape, rows.queries.count(), options_.projected_width(), sums);
    return {.dense = tail_(context, summed, rows.queries)};
  }

  BlockTraits traits() const override { return attention_traits(options_); }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    for (Relation& relation : relations_) relation.maps.collect_parameters(parameters);
    tail_.collect_parameters(parameters);
  }

 private:
  struct Relation {
    AttentionOptions options;
    Gatv2Maps maps;
  };

  /// For each destination of the relation. Dense keys are those of all sources.
  autograd::PlacedRows attend(ForwardContext& context, Relation& relation, const Edges& edges, const NodeRows& queries,
                              const NodeRows& keys) const {
    Gatv2Maps& maps = relation.maps;
    const graph::EdgeEnds& ends = context.tape.keep(edges.mask.relations).ends(edges.mask);
    const Variable key = keys.sparse.is_set()
                             ? autograd::select_rows(sources(edges, maps.key(context, keys)), ends.sources)
                             : map_rows(context, maps.key, keys.dense, ends.sources);
    LinearMap& query_map = maps.query ? *maps.query : maps.key;
    const Variable query = queries.sparse.is_set()
                               ? autograd::select_rows(query_map(context, queries), ends.destinations)
                               : map_rows(context, query_map, queries.dense, ends.destinations);
    const Variable value = drops_values(context, options_) ? drop(context, key, options_.feature_dropout) : key;
    return {maps.attend(context, relation.options, name_, ends.mask, query, key, value), ends.destinations};
  }

  static Variable map_rows(ForwardContext& context, LinearMap& map, Variable rows,
                           const std::vector<graph::Node>& places) {
    const auto& begins = context.tape.keep(std::array<std::size_t, 2>{0, places.size()});
    const autograd::LinearFactor factors[] = {map.factor(context)};
    return autograd::linear_groups(rows, {.rows = places, .begins = begins}, factors)[0];
  }

  std::string name_;
  AttentionOptions options_;
  std::vector<Relation> relations_;
  AttentionTail tail_;
};

std::unique_ptr<Block> make_of_score(attention::Score score, const json::Value& config, BuildContext& context) {
  const AttentionOptions options = read_attention_options(score, config, context);
  for (const MaskShape& mask : relation_masks(options.relations, options.edge_columns(), context))
    use_mask(config, mask, context);
  return make_gatv2(options, context);
}

}  // namespace

std::unique_ptr<Block> make_gatv2(const AttentionOptions& options, BuildContext& context) {
  check_options(options, options.score == attention::Score::gatv2 ? "gatv2" : "bahdanau");
  if (options.relations > 0) return std::make_unique<RelationalGatv2>(context, options);
  return std::make_unique<Gatv2>(context, options);
}

std::unique_ptr<Block> make_gatv2(const json::Value& config, BuildContext& context) {
  return make_of_score(attention::Score::gatv2, config, context);
}

std::unique_ptr<Block> make_bahdanau(const json::Value& config, BuildContext& context) {
  return make_of_score(attention::Score::bahdanau, config, context);
}

}  // namespace edgewise::nn
