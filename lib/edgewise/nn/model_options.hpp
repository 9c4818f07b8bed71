#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/sage.hpp"

/// @file
/// Presets with typed options: `nn::Model model(nn::gat({.hidden = 64, .heads = 8}), shape, seed)`. They are written as
/// the JSON of docs/models.md, which is also what says what each option means and what its default is.
namespace edgewise::nn {

enum class Norm { none, layer, batch };
std::vector<std::string> norm_names();

/// What makes one row per graph of the rows of its nodes, or (links) one per link of the rows of its ends.
enum class GraphReadout { sum, mean, max, sum_mean_max, attention, query, set2set, links };
std::vector<std::string> graph_readout_names();

/// The residual connections of a preset, and where its norms are.
enum class PresetResidual { none, automatic, projection, pre_norm, post_norm };

enum class PresetPositions { sinusoidal, learned, recurrent, floater, none };
std::vector<std::string> preset_position_names();

/// What a row sees of all others, besides those of the mask: by attention over all pairs, by one kernel of linear
/// attention, or nothing.
enum class PresetGlobal { complete, linear, sgformer, none };
std::vector<std::string> preset_global_names();

/// Of graph::Flow.
std::vector<std::string> flow_names();

/// How the graph is prepared for a model.
struct PresetGraph {
  std::optional<graph::Flow> flow = {};
  std::optional<bool> self_loops = {}, edges = {}, weight_as_feature = {};
};

/// The members of all presets; those that are not set have the default of the preset. Not every preset has every
/// member: making a model, or `expand_model`, throws a UsageError that names one too many.
struct ModelOptions {
  std::optional<PresetGraph> graph = {};
  std::optional<int> hidden = {}, layers = {};
  std::optional<double> dropout = {}, input_dropout = {};
  std::optional<Norm> norm = {}, input_norm = {};
  std::optional<Activation> activation = {};
  std::optional<GraphReadout> readout = {};
  std::optional<int> readout_hidden = {}, readout_heads = {}, readout_steps = {};
  std::optional<double> readout_dropout = {};
  std::optional<Norm> readout_norm = {};
  std::optional<bool> descriptors = {};
  std::optional<int> components = {};
  std::optional<bool> symmetric = {}, own_encoders = {}, cross = {};
  std::optional<LinkKind> link_kind = {};
  std::optional<LinkCommon> common = {};
  std::optional<bool> link_numbers = {};

  std::optional<int> heads = {}, output_heads = {}, expansion = {};
  std::optional<double> attention_dropout = {}, feature_dropout = {}, negative_slope = {};
  std::optional<bool> dropout_per_head = {}, score_bias = {}, share_weights = {}, edge_value = {}, edge_weights = {};
  std::optional<PresetResidual> residual = {};
  std::optional<EdgeFeatures> edge_features = {};
  std::optional<EdgeMode> edge_mode = {};
  std::optional<attention::Normaliser> normaliser = {};
  std::optional<std::string> mask = {};
  std::optional<int> relations = {}, bases = {};
  std::optional<Aggregate> aggregate = {};

  std::optional<double> restart = {}, mapping = {}, weight_decay = {}, node_dropout = {};
  std::optional<PresetPositions> positions = {};
  std::optional<PresetGlobal> global = {};
  std::optional<bool> tied = {};
};

/// {"preset": preset, ...} with the members that are set.
json::Value preset(std::string_view name, const ModelOptions& options = {});

/// @name Presets
/// @{
inline json::Value gat(const ModelOptions& options = {}) { return preset("gat", options); }
inline json::Value gatv2(const ModelOptions& options = {}) { return preset("gatv2", options); }
inline json::Value bahdanau(const ModelOptions& options = {}) { return preset("bahdanau", options); }
inline json::Value transformer(const ModelOptions& options = {}) { return preset("transformer", options); }
inline json::Value gcn(const ModelOptions& options = {}) { return preset("gcn", options); }
inline json::Value sage(const ModelOptions& options = {}) { return preset("sage", options); }
inline json::Value mlp(const ModelOptions& options = {}) { return preset("mlp", options); }
inline json::Value gps(const ModelOptions& options = {}) { return preset("gps", options); }
/// @}

}  // namespace edgewise::nn
