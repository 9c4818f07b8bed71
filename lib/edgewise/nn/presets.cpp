#include "edgewise/nn/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/detail/preset_parts.hpp"
#include "edgewise/nn/gcn2.hpp"
#include "edgewise/nn/positions.hpp"

namespace edgewise::nn {

namespace {

using namespace detail;

Array gat(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "dropout_per_head", "score_bias",
                      "residual", "expansion", "negative_slope", "edge_features", "normaliser", "mask", "storage"});
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "score_bias", "negative_slope",
                                                        "edge_features"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "gat", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "gat", passed_on);
  return attention_stack(
      config, "gat",
      {"feature_dropout", "dropout_per_head", "score_bias", "residual", "negative_slope", "edge_features"});
}

Array gatv2(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual",
                      "expansion", "negative_slope", "edge_features", "edge_value", "normaliser", "mask", "storage"});
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "share_weights", "negative_slope",
                                                        "edge_features", "edge_value"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "gatv2", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "gatv2", passed_on);
  return attention_stack(
      config, "gatv2",
      {"feature_dropout", "share_weights", "residual", "negative_slope", "edge_features", "edge_value"});
}

Array bahdanau(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual",
                      "expansion", "edge_features", "edge_value", "normaliser", "mask", "storage"});
  const std::initializer_list<const char*> passed_on = {"feature_dropout", "share_weights", "edge_features",
                                                        "edge_value"};
  if (is_residual(config, "pre_norm")) return pre_norm_stack(config, "bahdanau", passed_on);
  if (is_residual(config, "post_norm")) return post_norm_stack(config, "bahdanau", passed_on);
  return attention_stack(config, "bahdanau",
                         {"feature_dropout", "share_weights", "residual", "edge_features", "edge_value"});
}

Array gcn(const Value& config) {
  allow_also(config, {"residual", "edge_weights"});
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
  allow_also(config, {"restart", "mapping", "weight_decay", "edge_weights"});
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
  allow_also(config, {"restart", "node_dropout", "edge_weights"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu", .layers = 4});
  Value steps = Object{{"type", "appnp"}, {"steps", common.layers}};
  pass_on(config, steps, {"restart", "edge_weights"});
  Array blocks = {dropout_block(common.dropout), linear_block(common.hidden),
                  Object{{"type", "dropout"}, {"probability", read_rate(config, "node_dropout", 0.5)}, {"rows", true}},
                  std::move(steps)};
  push_norm(blocks, common);
  blocks.push_back(activation_block(common.activation));
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

Array sage(const Value& config) {
  allow_also(config, {});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) -> Value {
    return Object{{"type", "sage"}, {"width", std::move(width)}, {"dropout", common.dropout}};
  };
  return stack(config, common, [&] { return layer(common.hidden); }, [&] { return layer("outputs"); });
}

Array mlp(const Value& config) {
  allow_also(config, {});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    const bool is_last = i + 1 == common.layers && !common.is_graph_level();
    blocks.push_back(dropout_block(common.dropout));
    blocks.push_back(linear_block(is_last ? Value("outputs") : Value(common.hidden)));
    if (is_last) return blocks;
    push_norm(blocks, common);
    blocks.push_back(activation_block(common.activation));
  }
  push_outputs(blocks, config, common);
  return blocks;
}

Common read_residual_common(const Value& config) {
  allow_also(config, {"heads", "attention_dropout", "expansion", "edge_features", "normaliser", "mask", "storage"});
  return read_common(config, {.dropout = 0.2, .norm = "layer", .activation = "gelu"});
}

/// Ego and neighbours side by side, into one feed-forward block.
Array concat_self_stack(const Value& config, const char* type) {
  const Common common = read_residual_common(config);
  const Value attention = attention_block(config, common, type, {"edge_features"});
  return residual_stack(config, common, [&](Array& blocks) {
    Array layer;
    push_norm(layer, common);
    layer.emplace_back(Object{{"type", "concat_self"}, {"block", attention}});
    layer.push_back(feed_forward_block(config, common));
    layer.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(layer)));
  });
}

Array gat_sep(const Value& config) { return concat_self_stack(config, "gat"); }
Array gatv2_sep(const Value& config) { return concat_self_stack(config, "gatv2"); }

/// Attention and feed-forward as separate residual blocks; with `is_separate`, ego and neighbours side by side.
Array transformer_stack(const Value& config, bool is_separate) {
  const Common common = read_residual_common(config);
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

/// GPS (Rampasek et al. 2022, eq. 1-4): the sum of attention along the edges and attention over all pairs, each with a
/// residual and then a norm; then feed-forward, likewise.
Array gps(const Value& config) {
  allow_also(config, {"heads", "attention_dropout", "expansion", "edge_features", "normaliser", "mask", "storage"});
  const Common common = read_common(config, {.dropout = 0.1, .norm = "batch", .activation = "relu"});
  Value local = attention_block(config, common, "gatv2", {"edge_features"});
  local.set("edge_value", true);
  Value global = attention_block(config, common, "dot_product", {});
  global.set("mask", "complete");
  global.set("edge_mode", "bias");
  global.set("output_projection", true);
  const auto branch = [&](Value block) {
    Array blocks = {residual_block({std::move(block), dropout_block(common.dropout)})};
    push_norm(blocks, common);
    return blocks;
  };
  Array blocks = {linear_block(common.hidden)};
  for (int i = 0; i < common.layers; ++i) {
    blocks.emplace_back(Object{{"type", "parallel"}, {"branches", Array{branch(local), branch(global)}}});
    blocks.push_back(residual_block({feed_forward_block(config, common), dropout_block(common.dropout)}));
    push_norm(blocks, common);
  }
  push_outputs(blocks, config, common);
  return blocks;
}

/// The first blocks of models that follow an order: a linear map, which learns an embedding of each token, and
/// positions if requested. Sinusoids have size 1, so rows are brought to the same size. Otherwise the embeddings of
/// rare words, some hundredths at first, would be lost among them.
Array order_inputs(const Value& config, const Common& common, const char* positions) {
  Array blocks = {linear_block(common.hidden)};
  std::vector<std::string> kinds = position_names();
  kinds.emplace_back("none");
  read_choice(config, "positions", kinds, 0);
  const std::string kind = config.get("positions", positions);
  if (kind == "sinusoidal") blocks.emplace_back(Object{{"type", "layer_norm"}});
  if (kind != "none") blocks.emplace_back(Object{{"type", "positions"}, {"kind", kind}});
  blocks.push_back(dropout_block(common.dropout));
  return blocks;
}

constexpr Defaults kOrderDefaults = {.dropout = 0.2, .norm = "layer", .activation = "gelu"};

/// The pre-norm Transformer over any mask, with positions: the usual attention over sequences and grids.
Array attention(const Value& config) {
  allow_also(config, {"heads", "attention_dropout", "expansion", "edge_features", "edge_mode", "normaliser", "mask",
                      "storage", "positions"});
  const Common common = read_common(config, kOrderDefaults);
  Value layer = attention_block(config, common, "dot_product", {"edge_features", "edge_mode"});
  layer.set("output_projection", true);
  layer.set("mask", config.get("mask", "complete"));
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
  allow_also(config, {"mask", "positions"});
  const Common common = read_common(config, kOrderDefaults);
  Array blocks = order_inputs(config, common, "none");
  blocks.push_back(convolution_block(config, common, "band:2+offset"));
  blocks.push_back(activation_block(common.activation));
  blocks.push_back(dropout_block(common.dropout));
  push_outputs(blocks, config, common);
  return blocks;
}

/// Residual layers of norm, convolution and activation.
Array convolution(const Value& config) {
  allow_also(config, {"mask", "positions"});
  const Common common = read_common(config, kOrderDefaults);
  Array blocks = order_inputs(config, common, "none");
  for (int i = 0; i < common.layers; ++i) {
    Array layer;
    push_norm(layer, common);
    layer.push_back(convolution_block(config, common, "band:1+offset"));
    layer.push_back(activation_block(common.activation));
    layer.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(layer)));
  }
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

/// Layers of bidirectional long short-term memories; the directions share `hidden`.
Array lstm(const Value& config) {
  allow_also(config, {"positions"});
  const Common common = read_common(config, kOrderDefaults);
  if (common.hidden % 2 != 0) refuse(config, "hidden", "expected an even number: it is shared by two directions");
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

struct Preset {
  const char* name;
  Array (*expand)(const Value& config);
  bool has_self_loops;  // added unless the configuration says otherwise
  bool has_heads;
};

constexpr std::array kPresets = {
    Preset{"gat", gat, true, true},
    Preset{"gatv2", gatv2, true, true},
    Preset{"bahdanau", bahdanau, true, true},
    Preset{"transformer", transformer, true, true},
    Preset{"gcn", gcn, true, false},
    Preset{"gcn2", gcn2, true, false},
    Preset{"grand", grand, true, false},
    Preset{"sage", sage, false, false},
    Preset{"mlp", mlp, false, false},
    Preset{"gat_sep", gat_sep, false, true},
    Preset{"gatv2_sep", gatv2_sep, false, true},
    Preset{"transformer_sep", transformer_sep, false, true},
    Preset{"gps", gps, false, true},
    Preset{"attention", attention, true, true},
    Preset{"window", window, false, false},
    Preset{"convolution", convolution, false, false},
    Preset{"lstm", lstm, false, false},
};

/// Sets the dropout of the input, which may be a block of its own or belong to the first layer.
void set_input_dropout(Array& blocks, double probability) {
  Value& first = blocks.front();
  if (first.at("type").as_string() == "dropout")
    first.set("probability", probability);
  else if (first.find("dropout") != nullptr)
    first.set("dropout", probability);
  else if (probability > 0)
    blocks.insert(blocks.begin(), dropout_block(probability));
}

}  // namespace

json::Value expand_preset(const json::Value& config) {
  const std::string& name = config.at("preset").as_string();
  const auto* found = std::ranges::find_if(kPresets, [&](const Preset& preset) { return name == preset.name; });
  if (found == kPresets.end()) {
    refuse(config, "preset", fmt::format("expected one of {}", fmt::join(preset_names(), ", ")));
  }
  Value graph = Object{{"self_loops", found->has_self_loops}};
  if (const Value* given = config.find("graph")) {
    for (const auto& [member, value] : given->as_object()) graph.set(member, value);
  }
  if (const Value* mask = config.find("mask")) graph::parse_mask(mask->as_string(), mask->path());
  Array blocks = found->expand(config);
  for (const char* member : {"normaliser", "mask", "storage"})
    if (const Value* given = config.find(member))
      for (Value& block : blocks) set_in_attention(block, member, *given);
  if (config.find("input_dropout") != nullptr) set_input_dropout(blocks, read_rate(config, "input_dropout", 0));
  const bool has_input_norm = read_choice(config, "input_norm", {"none", "batch"}, 0) == 1;
  if (has_input_norm) blocks.insert(blocks.begin(), Object{{"type", "batch_norm"}});
  return Object{{"graph", std::move(graph)}, {"blocks", std::move(blocks)}};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

bool is_preset(std::string_view name) { return std::ranges::count(preset_names(), name) > 0; }

bool has_heads(const std::string& preset) {
  return std::ranges::any_of(kPresets, [&](const Preset& known) { return known.has_heads && preset == known.name; });
}

}  // namespace edgewise::nn
