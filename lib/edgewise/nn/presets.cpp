#include "edgewise/nn/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "edgewise/attention/options.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/detail/pair_presets.hpp"
#include "edgewise/nn/detail/preset_parts.hpp"
#include "edgewise/nn/gcn2.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/model_options.hpp"

namespace edgewise::nn {

namespace {

using namespace detail;

Array gat(const Value& config) {
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "score_bias", "negative_slope",
                                                        "edge_features"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "gat", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "gat", passed_on);
  return attention_stack(
      config, "gat",
      {"feature_dropout", "dropout_per_head", "score_bias", "residual", "negative_slope", "edge_features"});
}

Array gatv2(const Value& config) {
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "share_weights", "negative_slope",
                                                        "edge_features", "edge_value"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "gatv2", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "gatv2", passed_on);
  return attention_stack(
      config, "gatv2",
      {"feature_dropout", "share_weights", "residual", "negative_slope", "edge_features", "edge_value"});
}

Array bahdanau(const Value& config) {
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "share_weights", "edge_features",
                                                        "edge_value"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "bahdanau", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "bahdanau", passed_on);
  return attention_stack(config, "bahdanau",
                         {"feature_dropout", "share_weights", "residual", "edge_features", "edge_value"});
}

Array gcn(const Value& config) {
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "gcn", {"edge_weights"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) {
    Value block = Object{{"type", "gcn"}, {"width", std::move(width)}, {"dropout", common.dropout}};
    pass_on(config, block, {"residual", "edge_weights"});
    return block;
  };
  return stack(config, common, [&] { return layer(common.hidden); }, [&] { return layer("outputs"); });
}

/// GCNII (Chen et al. 2020): many convolutions, each with a share of the original input.
Array gcn2(const Value& config) {
  const Common common =
      read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu", .layers = Gcn2Options{}.layers});
  Value convolutions = Object{{"type", "gcn2"}, {"layers", common.layers}, {"dropout", common.dropout}};
  pass_on(config, convolutions, {"restart", "mapping", "weight_decay", "edge_weights"});
  Array blocks = {dropout_block(common.dropout), linear_block(common.hidden), activation_block(common.activation),
                  std::move(convolutions)};
  push_norm(blocks, common);
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

/// GRAND (Feng et al. 2020): features of random nodes, spread over many steps, into a network of two layers. The first
/// map comes before the steps: both are linear, and it narrows the rows.
Array grand(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu", .layers = 4});
  Value steps = Object{{"type", "appnp"}, {"steps", common.layers}};
  pass_on(config, steps, {"restart", "edge_weights"});
  Array blocks = {dropout_block(common.dropout), linear_block(common.hidden),
                  Object{{"type", "dropout"}, {"probability", read_rate(config, "node_dropout", 0.5)}, {"rows", true}},
                  std::move(steps)};
  push_norm(blocks, common);
  push_activation(blocks, common, /*is_last=*/true);
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

Array sage(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) -> Value {
    return Object{{"type", "sage"}, {"width", std::move(width)}, {"dropout", common.dropout}};
  };
  return stack(config, common, [&] { return layer(common.hidden); }, [&] { return layer("outputs"); });
}

Array mlp(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    const bool is_last = i + 1 == common.layers, gives_outputs = is_last && !common.has_readout();
    blocks.push_back(dropout_block(common.dropout));
    blocks.push_back(linear_block(gives_outputs ? Value("outputs") : Value(common.hidden)));
    if (gives_outputs) return blocks;
    push_norm(blocks, common);
    push_activation(blocks, common, is_last);
  }
  push_outputs(blocks, config, common);
  return blocks;
}

int read_relations(const Value& config) {
  return static_cast<int>(json::read_integer(config, "relations", 1, 1, kMostRelations));
}

/// RGCN (Schlichtkrull et al. 2018, eq. 2): a map of the node itself, and one of the mean of its sources of each
/// relation.
Array rgcn(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) {
    Value block = Object{{"type", "rgcn"}, {"width", std::move(width)}, {"relations", read_relations(config)}};
    pass_on(config, block, {"bases", "aggregate", "edge_features"});
    return block;
  };
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    const bool is_last = i + 1 == common.layers, gives_outputs = is_last && !common.has_readout();
    blocks.push_back(dropout_block(common.dropout));
    blocks.push_back(layer(gives_outputs ? Value("outputs") : Value(common.hidden)));
    if (gives_outputs) return blocks;
    push_norm(blocks, common);
    push_activation(blocks, common, is_last);
  }
  push_outputs(blocks, config, common);
  return blocks;
}

/// A map of the node itself, and a GATv2 of each relation with weights of its own, summed (as RGAT in Busbridge et al.
/// 2019, with a softmax within each relation).
Array rgat(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "elu"});
  Value attention = attention_block(config, common, "gatv2", {"share_weights", "negative_slope", "edge_features"});
  attention.set("relations", read_relations(config));
  attention.set("residual", "projection");
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    blocks.push_back(dropout_block(common.dropout));
    blocks.push_back(attention);
    push_norm(blocks, common);
    push_activation(blocks, common, i + 1 == common.layers);
  }
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

constexpr Defaults kResidualDefaults = {.dropout = 0.2, .norm = "layer", .activation = "gelu"};

/// Residual layers of attention with keys and values of each relation, over all of whose edges goes one softmax, an
/// activation and a linear map (HGT, Hu et al. 2020, eq. 3-5, with a plain residual in place of their gate).
Array hgt(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "gelu"});
  Value attention = attention_block(config, common, "dot_product", {"edge_features"});
  attention.set("relations", read_relations(config));
  return residual_stack(config, common, [&](Array& blocks) {
    blocks.push_back(
        normed_residual(common, {attention, activation_block(common.activation), linear_block(common.hidden)}));
  });
}

/// Ego and neighbours side by side, into one feed-forward block.
Array concat_self_stack(const Value& config, const char* type) {
  const Common common = read_common(config, kResidualDefaults);
  const Value attention = attention_block(config, common, type, {"edge_features"});
  return residual_stack(config, common, [&](Array& blocks) {
    blocks.push_back(normed_residual(
        common, {Object{{"type", "concat_self"}, {"block", attention}}, feed_forward_block(config, common)}));
  });
}

Array gat_sep(const Value& config) { return concat_self_stack(config, "gat"); }
Array gatv2_sep(const Value& config) { return concat_self_stack(config, "gatv2"); }

/// Attention and feed-forward as separate residual blocks; with `is_separate`, ego and neighbours side by side.
Array transformer_stack(const Value& config, bool is_separate) {
  const Common common = read_common(config, kResidualDefaults);
  Value attention = attention_block(config, common, "dot_product", {"edge_features"});
  if (!is_separate) attention.set("output_projection", true);
  return residual_stack(config, common, [&](Array& blocks) {
    Array first;
    push_norm(first, common);
    if (is_separate) {
      first.emplace_back(Object{{"type", "concat_self"}, {"block", attention}});
      first.push_back(linear_block(common.hidden));
    } else {
      first.push_back(attention);
    }
    first.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(first)));
    push_feed_forward(blocks, config, common);
  });
}

Array transformer(const Value& config) { return transformer_stack(config, false); }
Array transformer_sep(const Value& config) { return transformer_stack(config, true); }

/// Attention to all rows of a graph: over all pairs, or at linear cost.
Value global_attention(const Value& config, const Common& common, PresetGlobal kind) {
  Value global = attention_block(config, common, "dot_product", {});
  if (kind == PresetGlobal::complete) {
    global.set("mask", "complete");
    global.set("edge_mode", "bias");
    global.set("output_projection", true);
    return global;
  }
  return Object{{"type", "linear_attention"},
                {"width", global.at("width")},
                {"heads", global.at("heads")},
                {"kernel", kind == PresetGlobal::linear ? "elu" : "sgformer"},
                {"output_projection", true}};
}

/// GPS (Rampasek et al. 2022, eq. 1-4): the sum of attention along the edges and attention over all pairs, each with a
/// residual and then a norm; then feed-forward, likewise.
Array gps(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.1, .norm = "batch", .activation = "relu"});
  Value local = attention_block(config, common, "gatv2", {"edge_features"});
  local.set("edge_value", true);
  const auto kind = static_cast<PresetGlobal>(read_choice(config, "global", preset_global_names(), 0));
  const auto branch = [&](Value block) {
    Array blocks = {residual_block({std::move(block), dropout_block(common.dropout)})};
    push_norm(blocks, common);
    return blocks;
  };
  Array branches = {branch(local)};
  if (kind != PresetGlobal::none) branches.emplace_back(branch(global_attention(config, common, kind)));
  Array blocks = {linear_block(common.hidden)};
  for (int i = 0; i < common.layers; ++i) {
    blocks.emplace_back(Object{{"type", "parallel"}, {"branches", branches}});
    blocks.push_back(residual_block({feed_forward_block(config, common), dropout_block(common.dropout)}));
    push_norm(blocks, common);
  }
  push_outputs(blocks, config, common);
  return blocks;
}

constexpr Defaults kOrderDefaults = {.dropout = 0.2, .norm = "layer", .activation = "gelu"};

/// Half of the heads for each of two kinds of attention, which share one output projection.
Value half_and_half(const Value& config, Value local, Value global, const Common& common) {
  const std::int64_t heads = local.at("heads").as_integer();
  if (heads % 2 != 0) refuse(config, "heads", "expected an even number: half of them see all rows");
  const auto branch = [&](Value& block, bool has_bias) {
    block.set("heads", heads / 2);
    block.set("output_projection", false);
    return Array{block, Object{{"type", "linear"}, {"width", common.hidden}, {"bias", has_bias}}};
  };
  return Object{{"type", "parallel"}, {"branches", Array{branch(local, true), branch(global, false)}}};
}

/// Attention over the mask, or to all rows of the graph, or both.
Value attention_of_order(const Value& config, const Common& common) {
  const auto none = static_cast<std::size_t>(PresetGlobal::none);
  const auto kind = static_cast<PresetGlobal>(read_choice(config, "global", preset_global_names(), none));
  Value local = attention_block(config, common, "dot_product", {"edge_features", "edge_mode"});
  local.set("output_projection", true);
  local.set("mask", config.get("mask", "complete"));
  if (kind == PresetGlobal::none) return local;
  Value global = global_attention(config, common, kind);
  if (config.find("mask") == nullptr) return global;
  return half_and_half(config, std::move(local), std::move(global), common);
}

/// The pre-norm Transformer over any mask, with positions: the usual attention over sequences and grids.
Array attention(const Value& config) {
  const Common common = read_common(config, kOrderDefaults);
  const Value layer = attention_of_order(config, common);
  Array blocks = order_inputs(config, common, "sinusoidal");
  for (int i = 0; i < common.layers; ++i) {
    Array first;
    push_norm(first, common);
    first.push_back(layer);
    first.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(first)));
    push_feed_forward(blocks, config, common);
  }
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

Value convolution_block(const Value& config, const Common& common, const char* mask) {
  return Object{{"type", "convolution"}, {"width", common.hidden}, {"mask", config.get("mask", mask)}};
}

/// One fully connected layer over a window.
Array window(const Value& config) {
  const Common common = read_common(config, kOrderDefaults);
  Array blocks = order_inputs(config, common, "none");
  blocks.push_back(convolution_block(config, common, "band:2+offset"));
  push_activation(blocks, common, /*is_last=*/true);
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

/// Residual layers of norm, convolution and activation.
Array convolution(const Value& config) {
  const Common common = read_common(config, kOrderDefaults);
  Array blocks = order_inputs(config, common, "none");
  for (int i = 0; i < common.layers; ++i) {
    blocks.push_back(normed_residual(
        common, {convolution_block(config, common, "band:1+offset"), activation_block(common.activation)}));
  }
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

/// Layers of bidirectional long short-term memories; the directions share `hidden`.
Array lstm(const Value& config) {
  const Common common = read_common(config, kOrderDefaults);
  if (common.hidden % 2 != 0) refuse(config, "hidden", "expected an even number: half for each direction");
  Array blocks = order_inputs(config, common, "none");
  for (int i = 0; i < common.layers; ++i) {
    blocks.emplace_back(Object{{"type", "lstm"}, {"width", common.hidden / 2}});
    blocks.push_back(dropout_block(common.dropout));
  }
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

/// Sets a member in all attention blocks that lack it; `value` is a block or a list of blocks.
void set_in_attention(Value& value, const char* member, const Value& to) {
  if (value.is_array()) {
    Array blocks = value.as_array();
    for (Value& block : blocks) set_in_attention(block, member, to);
    value = std::move(blocks);
    return;
  }
  const std::vector<std::string> scores = attention::score_names();
  const bool is_attention = std::ranges::find(scores, value.at("type").as_string()) != scores.end();
  if (is_attention && value.find(member) == nullptr) value.set(member, to);
  for (const char* inner : {"block", "blocks", "branches"}) {
    if (const Value* found = value.find(inner)) {
      Value changed = *found;
      set_in_attention(changed, member, to);
      value.set(inner, std::move(changed));
    }
  }
}

/// The members of the presets, besides those that all have.
constexpr const char* kGatMembers[] = {
    "heads", "output_heads", "attention_dropout", "feature_dropout", "dropout_per_head", "score_bias", "residual",
    "expansion", "negative_slope", "edge_features", "normaliser", "mask"};
constexpr const char* kGatv2Members[] = {
    "heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual", "expansion",
    "negative_slope", "edge_features", "edge_value", "normaliser", "mask"};
constexpr const char* kBahdanauMembers[] = {
    "heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual", "expansion",
    "edge_features", "edge_value", "normaliser", "mask"};
constexpr const char* kGcnMembers[] = {"residual", "edge_weights"};
constexpr const char* kGcn2Members[] = {"restart", "mapping", "weight_decay", "edge_weights"};
constexpr const char* kGrandMembers[] = {"restart", "node_dropout", "edge_weights"};
constexpr const char* kResidualMembers[] = {
    "heads", "attention_dropout", "expansion", "edge_features", "normaliser", "mask"};
constexpr const char* kGpsMembers[] = {
    "heads", "attention_dropout", "expansion", "edge_features", "normaliser", "mask", "global"};
constexpr const char* kAttentionMembers[] = {
    "heads", "attention_dropout", "expansion", "edge_features", "edge_mode", "normaliser", "mask", "positions",
    "global"};
constexpr const char* kRgcnMembers[] = {"relations", "bases", "aggregate", "edge_features"};
constexpr const char* kRgatMembers[] = {
    "relations", "heads", "attention_dropout", "share_weights", "negative_slope", "edge_features", "normaliser"};
constexpr const char* kHgtMembers[] = {"relations", "heads", "attention_dropout", "edge_features", "normaliser"};
constexpr const char* kPairMembers[] = {"heads", "attention_dropout", "expansion", "normaliser", "positions", "tied"};
constexpr const char* kLstmPairMembers[] = {"tied"};
constexpr const char* kWindowMembers[] = {"mask", "positions"};
constexpr const char* kLstmMembers[] = {"positions"};

struct Preset {
  PresetTraits traits;
  Array (*expand)(const Value& config);
  std::span<const char* const> members = {};
};

constexpr std::array kPresets = {
    Preset{{.name = "gat", .has_self_loops = true, .has_heads = true, .uses_attention = true}, gat, kGatMembers},
    Preset{{.name = "gatv2", .has_self_loops = true, .has_heads = true, .uses_attention = true}, gatv2, kGatv2Members},
    Preset{{.name = "bahdanau", .has_self_loops = true, .has_heads = true, .uses_attention = true},
           bahdanau, kBahdanauMembers},
    Preset{{.name = "transformer", .has_self_loops = true, .has_heads = true, .uses_attention = true},
           transformer, kResidualMembers},
    Preset{{.name = "gcn", .has_self_loops = true}, gcn, kGcnMembers},
    Preset{{.name = "gcn2", .has_self_loops = true, .depth = 8}, gcn2, kGcn2Members},
    Preset{{.name = "grand", .has_self_loops = true, .agrees_in_passes = true, .depth = 2}, grand, kGrandMembers},
    Preset{{.name = "sage"}, sage},
    Preset{{.name = "mlp", .uses_graph = false}, mlp},
    Preset{{.name = "rgcn", .is_relational = true}, rgcn, kRgcnMembers},
    Preset{{.name = "rgat", .has_heads = true, .uses_attention = true, .is_relational = true}, rgat, kRgatMembers},
    Preset{{.name = "hgt", .has_heads = true, .uses_attention = true, .is_relational = true}, hgt, kHgtMembers},
    Preset{{.name = "gat_sep", .has_heads = true, .uses_attention = true}, gat_sep, kResidualMembers},
    Preset{{.name = "gatv2_sep", .has_heads = true, .uses_attention = true}, gatv2_sep, kResidualMembers},
    Preset{{.name = "transformer_sep", .has_heads = true, .uses_attention = true}, transformer_sep, kResidualMembers},
    Preset{{.name = "gps", .has_heads = true, .uses_attention = true, .is_sized_for_graphs = true},
           gps, kGpsMembers},
    Preset{{.name = "attention", .has_self_loops = true, .has_heads = true, .uses_attention = true},
           attention, kAttentionMembers},
    Preset{{.name = "window", .sees_grid = true}, window, kWindowMembers},
    Preset{{.name = "convolution", .sees_grid = true}, convolution, kWindowMembers},
    Preset{{.name = "lstm"}, lstm, kLstmMembers},
    Preset{{.name = "transformer_pair", .has_heads = true, .uses_attention = true, .writes = true},
           transformer_pair, kPairMembers},
    Preset{{.name = "lstm_attention_pair", .uses_attention = true, .writes = true},
           lstm_attention_pair, kLstmPairMembers},
    Preset{{.name = "lstm_pair", .writes = true}, lstm_pair, kLstmPairMembers},
};

const Preset* find_row(std::string_view name) {
  const auto* found = std::ranges::find_if(kPresets, [&](const Preset& preset) { return name == preset.traits.name; });
  return found == kPresets.end() ? nullptr : found;
}

/// Sets the dropout of the input, which may be a block of its own or belong to the first layer.
void set_input_dropout(Array& blocks, double probability) {
  Value& first = blocks.front();
  if (first.at("type").as_string() == "part_encoders") {
    Array inner = first.at("blocks").as_array();
    set_input_dropout(inner, probability);
    first.set("blocks", std::move(inner));
    return;
  }
  if (first.at("type").as_string() == "dropout")
    first.set("probability", probability);
  else if (first.find("dropout") != nullptr)
    first.set("dropout", probability);
  else if (probability > 0)
    blocks.insert(blocks.begin(), dropout_block(probability));
}

/// Self loops are edges: under a mask that is made without edges, nothing sees them.
bool sees_edges(const Value& config) {
  const Value* mask = config.find("mask");
  return mask == nullptr || graph::parse_mask(mask->as_string(), mask->path()).rule->needs_edges;
}

}  // namespace

json::Value expand_preset(const json::Value& config) {
  const std::string& name = config.at("preset").as_string();
  const Preset* found = find_row(name);
  if (found == nullptr) refuse(config, "preset", fmt::format("expected one of {}", fmt::join(preset_names(), ", ")));
  Value graph = Object{{"self_loops", sees_edges(config) && found->traits.has_self_loops}};
  if (const Value* given = config.find("graph")) {
    for (const auto& [member, value] : given->as_object()) graph.set(member, value);
  }
  allow_also(config, found->members);
  Array blocks = found->expand(config);
  for (const char* member : {"normaliser", "mask"})
    if (const Value* given = config.find(member))
      for (Value& block : blocks) set_in_attention(block, member, *given);
  if (config.find("input_dropout") != nullptr) set_input_dropout(blocks, read_rate(config, "input_dropout", 0));
  const bool has_input_norm = read_choice(config, "input_norm", {"none", "batch"}, 0) == 1;
  if (has_input_norm) blocks.insert(blocks.begin(), Object{{"type", "batch_norm"}});
  return Object{{"graph", std::move(graph)}, {"blocks", std::move(blocks)}};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.traits.name);
  return names;
}

std::optional<PresetTraits> find_preset(std::string_view name) {
  const Preset* found = find_row(name);
  return found != nullptr ? std::optional(found->traits) : std::nullopt;
}

std::vector<std::string> preset_members(std::string_view name) {
  std::vector<std::string> members(kCommonMembers.begin(), kCommonMembers.end());
  if (const Preset* found = find_row(name)) members.insert(members.end(), found->members.begin(), found->members.end());
  return members;
}

}  // namespace edgewise::nn
