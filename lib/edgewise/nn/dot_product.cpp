#include "edgewise/nn/dot_product.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/linear_groups.hpp"
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

LinearMap::Bias map_bias(const AttentionOptions& options) {
  return options.bias ? LinearMap::Bias::yes : LinearMap::Bias::no;
}

struct SourceMaps {
  LinearMap key;
  LinearMap value;
};

std::vector<SourceMaps> source_maps(BuildContext& context, const AttentionOptions& options) {
  std::vector<SourceMaps> maps;
  const auto add = [&](const std::string& prefix) {
    const auto map = [&](const char* name) {
      return LinearMap(context, prefix + name, options.key_width(), options.projected_width(), map_bias(options));
    };
    maps.push_back({.key = map("key."), .value = map("value.")});
  };
  if (options.relations == 0) add("");
  for (int relation = 1; relation <= options.relations; ++relation) add(fmt::format("relations.{}.", relation));
  return maps;
}

/// Weights of the edges of relations, as weights of all `slots` of the graph that these are of.
void put_back(const graph::RelationSources& relations, std::size_t slots, Matrix& weights) {
  Matrix all = Matrix::Zero(static_cast<Eigen::Index>(slots), weights.cols());
  for (std::size_t i = 0; i < relations.slots.size(); ++i)
    all.row(relations.slots[i]) += weights.row(static_cast<Eigen::Index>(i));
  weights = std::move(all);
}

class DotProduct : public Block {
 public:
  DotProduct(BuildContext& context, const AttentionOptions& options)
      : name_(context.name),
        options_(options),
        query_(context, "query.", options.inputs, options.projected_width(), map_bias(options)),
        sources_(source_maps(context, options)),
        shortcut_(context, options.residual, options.inputs, options.output_width(), map_bias(options)) {
    if (options.edge_columns() > 0 && options.edge_mode == EdgeMode::full) {
      edge_weight_ = glorot(context, "edge_weight", options.edge_columns(), options.projected_width());
    }
    if (options.edge_columns() > 0 && options.edge_mode == EdgeMode::bias) {
      edge_bias_ = glorot(context, "edge_bias", options.edge_columns(), options.heads);
    }
    if (options.output_projection) {
      output_.emplace(context, "output.", options.output_width(), options.output_width(), LinearMap::Bias::yes);
    }
    if (options.beta) gate_ = glorot(context, "gate", 3 * options.output_width(), 1);
  }

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const Edges edges = next_edges(context, options_.mask, name_);
    const AttentionRows rows = drop_rows(context, options_, input, row_count(edges.mask), name_);
    const graph::RelationSources* const relations =
        options_.relations > 0 ? &context.tape.keep(edges.mask.relations).sources(edges.mask, relation_count())
                               : nullptr;
    const auto [query, key, value] = relations != nullptr ? project_relations(context, rows, edges, *relations)
                                                          : project_seen(context, rows, edges);
    const Variable edge_weight = edge_weight_ ? context.tape.parameter(*edge_weight_) : Variable();
    const Variable edge_bias = edge_bias_ ? context.tape.parameter(*edge_bias_) : Variable();
    autograd::AttentionOptions attend_options = attention_options(context, options_, name_);
    attend_options.of_score.scale = options_.scale;
    Variable y = autograd::attend(relations != nullptr ? relations->mask : edges.mask,
                                  {.query = query,
                                   .key = key,
                                   .value = value,
                                   .edge_weight = edge_weight,
                                   .value_edge_weight = edge_weight,
                                   .edge_bias = edge_bias},
                                  attend_options);
    if (relations != nullptr && attend_options.weights != nullptr)
      put_back(*relations, edges.mask.slot_count(), *attend_options.weights);
    if (options_.merge == Merge::mean) y = autograd::mean_over_heads(y, options_.heads);
    if (output_) y = (*output_)(context, {.dense = y});
    if (shortcut_.is_set()) y = join(context, y, shortcut_(context, rows.queries));
    return {.dense = activate(y, options_.activation)};
  }

  BlockTraits traits() const override { return attention_traits(options_); }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    query_.collect_parameters(parameters);
    for (SourceMaps& maps : sources_) {
      maps.key.collect_parameters(parameters);
      maps.value.collect_parameters(parameters);
    }
    if (edge_weight_) parameters.push_back(&*edge_weight_);
    if (edge_bias_) parameters.push_back(&*edge_bias_);
    if (output_) output_->collect_parameters(parameters);
    shortcut_.collect_parameters(parameters);
    if (gate_) parameters.push_back(&*gate_);
  }

 private:
  std::uint32_t relation_count() const { return static_cast<std::uint32_t>(options_.relations); }

  /// Query, key and value, the last two of each relation's sources.
  std::array<Variable, 3> project_relations(ForwardContext& context, const AttentionRows& rows, const Edges& edges,
                                            const graph::RelationSources& of) {
    const Variable query = query_(context, rows.queries);
    std::vector<autograd::LinearFactor> factors;
    for (SourceMaps& maps : sources_)
      for (LinearMap* map : {&maps.key, &maps.value}) factors.push_back(map->factor(context));
    const Variable seen = sources(edges, dense(rows.keys, name_));
    const auto [key, value, none] =
        autograd::linear_groups(seen, {.rows = of.nodes, .begins = of.begins}, factors);
    return {query, key, value};
  }

  /// Query, key and value, the last two of all that the edges come from.
  std::array<Variable, 3> project_seen(ForwardContext& context, const AttentionRows& rows, const Edges& edges) {
    const auto [query, key, value] = project_rows(context, rows);
    const auto [seen_key, seen_value] = sources(edges, key, value);
    return {query, seen_key, seen_value};
  }

  /// Query, key and value.
  std::array<Variable, 3> project_rows(ForwardContext& context, const AttentionRows& rows) {
    auto& [key_, value_] = sources_.front();
    if (!options_.attends_to_others() && rows.are_equal()) {
      const auto [query, key, value] = map_each(context, rows.keys, {&query_, &key_, &value_});
      return {query, with_past(context, name_ + ".key", key), with_past(context, name_ + ".value", value)};
    }
    const Variable query = query_(context, rows.queries);
    if (context.kept == nullptr) {
      const auto [key, value, none] = map_each(context, rows.keys, {&key_, &value_});
      return {query, key, value};
    }
    return {query, made_once(context, name_ + ".key", [&] { return key_(context, rows.keys); }),
            made_once(context, name_ + ".value", [&] { return value_(context, rows.keys); })};
  }

  Variable join(ForwardContext& context, Variable message, Variable past) {
    if (!gate_) return autograd::add(message, past);
    const Variable parts[] = {message, past, autograd::subtract(message, past)};
    const Variable logit = autograd::linear(autograd::concat_columns(parts), context.tape.parameter(*gate_));
    return autograd::mix(autograd::sigmoid(logit), past, message);
  }

  std::string name_;
  AttentionOptions options_;
  LinearMap query_;
  std::vector<SourceMaps> sources_;  // of each relation, if there are any
  Shortcut shortcut_;
  std::optional<autograd::Parameter> edge_weight_;
  std::optional<autograd::Parameter> edge_bias_;
  std::optional<LinearMap> output_;
  std::optional<autograd::Parameter> gate_;
};

}  // namespace

std::unique_ptr<Block> make_dot_product(const AttentionOptions& options, BuildContext& context) {
  check_options(options, "dot_product");
  return std::make_unique<DotProduct>(context, options);
}

std::unique_ptr<Block> make_dot_product(const json::Value& config, BuildContext& context) {
  return make_dot_product(read_attention_options(attention::Score::dot_product, config, context), context);
}

}  // namespace edgewise::nn
