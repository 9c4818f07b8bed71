#include "edgewise/train/inputs/model_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/graph/duplicate_edges.hpp"
#include "edgewise/nn/components.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/source/pretraining.hpp"

namespace edgewise::train {
namespace {

/// Whether each column matters: half of a few measurements says little, while many words say much the same.
bool has_few_columns(const data::Features& features) {
  constexpr std::size_t kFewColumns = 32;
  return !features.is_sparse && features.columns() <= kFewColumns;
}

/// Whether `model`, a preset or blocks, has this member with this value at any depth.
bool has_anywhere(const json::Value& model, std::string_view member, const json::Value& value) {
  if (model.is_array())
    return std::ranges::any_of(model.as_array(),
                               [&](const json::Value& one) { return has_anywhere(one, member, value); });
  if (!model.is_object()) return false;
  return std::ranges::any_of(model.as_object(), [&](const auto& one) {
    return (one.first == member && one.second == value) || has_anywhere(one.second, member, value);
  });
}

bool has_weights(const Dataset& data) {
  return data.frozen ? data.frozen->is_weighted() : !data.graph.edges().weights.empty();
}

/// Says how many kinds of edges there are, each a feature of them. Throws UsageError if there are none.
void set_relations(const ModelConfig& model, const Dataset& data, json::Value& completed) {
  const Eigen::Index columns =
      data.frozen ? data.frozen->edge_feature_count() : data.graph.edges().features.cols();
  if (columns == 0 || has_weights(data))
    throw UsageError(fmt::format("model: \"{}\" has a layer of each kind of edges, but {} has none: give tables of "
                                 "several kinds of nodes, or a column of kinds ({})",
                                 model.name(), data.name, setting("data.edge_features")));
  if (completed.find("relations") != nullptr) return;
  const Eigen::Index relations = data.kinds ? data.kinds->column_of(data.kinds->relations.size()) : columns;
  completed.set("relations", static_cast<std::int64_t>(relations));
}

}  // namespace

StandardScale scale_of_weights(const Dataset& data) {
  if (data.frozen) {
    const json::Value& scale = data.frozen->description().at("weight_scale");
    return {.mean = scale.at("mean").as_number(), .scale = scale.at("scale").as_number()};
  }
  return StandardScale::fit(data.reading.combining() ? graph::weights_in_use(data.graph) : data.graph.edges().weights);
}

nn::ModelShape shape_of(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
                        const Matrix& descriptors, Eigen::Index link_numbers) {
  nn::ModelShape shape{.inputs = static_cast<int>(features.columns()),
                       .outputs = static_cast<int>(data.labels.names.size()),
                       .edge_features = static_cast<int>(frozen.edge_features.cols()),
                       .pair_features = data.has_paths() ? data.graphs->paths.maximum + 2 : 0};
  if (descriptors.cols() > 0) shape.node_sets.push_back({nn::kDescriptors, static_cast<int>(descriptors.cols())});
  if (data.graphs && data.graphs->mixtures) shape.node_sets.push_back({nn::kComponents, 1});
  if (link_numbers > 0) shape.node_sets.push_back({nn::kLinkNumbers, static_cast<int>(link_numbers)});
  if (data.links) shape.masks.push_back(nn::common_neighbours_mask());
  return shape;
}

json::Value complete_model(const ModelConfig& model, const Dataset& data, const data::Features& features) {
  json::Value completed = model.json();
  const bool is_preset = model.is_preset();
  const bool has_dropout = completed.find("dropout") != nullptr || completed.find("input_dropout") != nullptr;
  if (is_preset && !has_dropout && !data.graphs && !data.collection && has_few_columns(features))
    completed.set("input_dropout", 0);
  if (is_preset && model.traits().is_relational) set_relations(model, data, completed);
  if (data.graphs && is_preset && completed.find("readout") == nullptr) completed.set("readout", "mean");
  if (data.links && is_preset && completed.find("readout") == nullptr) completed.set("readout", "links");
  if (data.links && is_preset && completed.find("link_numbers") == nullptr) completed.set("link_numbers", true);
  if (!data.reading.descriptors.empty() && is_preset && completed.find("descriptors") == nullptr)
    completed.set("descriptors", true);
  if (data.graphs && data.graphs->mixtures && is_preset && completed.find("components") == nullptr) {
    completed.set("components", static_cast<std::int64_t>(data.graphs->mixtures->size()));
    if (data.graphs->mixtures->is_sum) completed.set("symmetric", true);
  }
  const bool has_grid = data.collection && data.collection->grid_columns > 0;
  if (has_grid && model.traits().sees_grid && completed.find("mask") == nullptr)
    completed.set("mask", "grid:3x3+offset");
  if (!has_weights(data)) return completed;
  const json::Value* given = completed.find("graph");
  json::Value options = given != nullptr ? *given : json::Value(json::Object{});
  if (options.find("weight_as_feature") == nullptr) {
    options.set("weight_as_feature", true);
    const StandardScale scale = scale_of_weights(data);
    if (!has_anywhere(completed, "edge_weights", true))  // for a block that uses the weight itself
      options.set("weight_scale", json::Object{{"mean", scale.mean}, {"scale", scale.scale}});
  }
  completed.set("graph", std::move(options));
  return completed;
}

json::Value blocks_for(const ModelConfig& model, const Dataset& data, const data::Features& features) {
  const json::Value completed = complete_model(model, data, features);
  const bool has_readout = is_pretraining(data.reading) || (data.atoms && completed.find("readout") != nullptr);
  return has_readout ? without_readout(completed) : nn::expand_model(completed);
}

}  // namespace edgewise::train
