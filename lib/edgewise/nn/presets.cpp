#include "edgewise/nn/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/readout.hpp"

namespace edgewise::nn {

namespace {

using json::Array;
using json::Object;
using json::Value;

Value activation_block(const std::string& function) {
  return Object{{"type", "activation"}, {"function", function}};
}

/// Checked, and with the digits that the user wrote.
double read_rate(const Value& config, const char* member, double fallback) {
  read_probability(config, member, 0);
  return config.get(member, fallback);
}

Value dropout_block(double probability) { return Object{{"type", "dropout"}, {"probability", probability}}; }

Value linear_block(Value width) { return Object{{"type", "linear"}, {"width", std::move(width)}}; }

Value residual_block(Array blocks) { return Object{{"type", "residual"}, {"blocks", std::move(blocks)}}; }

/// What all presets have, checked.
struct Common {
  int hidden;
  int layers;
  double dropout;
  std::string norm;
  std::string activation;
  std::string readout;  ///< Empty: one row a node.
  bool is_graph_level() const { return !readout.empty(); }
};

constexpr std::array kCommonMembers = {
    "preset",  "graph",          "hidden",          "layers",        "dropout",       "norm", "activation",
    "readout", "readout_hidden", "readout_dropout", "readout_heads", "readout_steps", "readout_norm", "input_norm"};

/// As `allow_only`: what all presets take, and `members`.
void allow_also(const Value& config, std::initializer_list<const char*> members) {
  std::vector<std::string_view> known(kCommonMembers.begin(), kCommonMembers.end());
  known.insert(known.end(), members.begin(), members.end());
  allow_only(config, known);
}

std::vector<std::string> norm_names() { return {"none", "layer", "batch"}; }

/// The kinds of the block "readout", and the readouts that are blocks of their own.
std::vector<std::string> readout_names() {
  std::vector<std::string> names = names_of(ReadoutKind{});
  names.insert(names.end(), {"attention", "query", "set2set"});
  return names;
}

struct Defaults {
  double dropout;
  const char* norm;
  const char* activation;
};

/// With a readout, dropouts start low: graphs are small, and their loss is one number a graph.
constexpr double kGraphLevelDropout = 0.1;

bool has_readout(const Value& config) { return config.find("readout") != nullptr; }

Common read_common(const Value& config, const Defaults& defaults) {
  read_choice(config, "norm", norm_names(), 0);
  read_choice(config, "readout", readout_names(), 0);
  read_activation(config, "activation", Activation::none);
  for (const char* member : {"readout_hidden", "readout_dropout", "readout_heads", "readout_steps", "readout_norm"}) {
    if (config.find(member) == nullptr || has_readout(config)) continue;
    refuse(config, member, "expected a \"readout\" beside it");
  }
  return {.hidden = read_positive(config, "hidden", 64),
          .layers = read_positive(config, "layers", 2),
          .dropout = read_rate(config, "dropout", has_readout(config) ? kGraphLevelDropout : defaults.dropout),
          .norm = config.get("norm", defaults.norm),
          .activation = config.get("activation", defaults.activation),
          .readout = config.get("readout", "")};
}

void push_norm(Array& blocks, const std::string& norm) {
  if (norm != "none") blocks.emplace_back(Object{{"type", norm + "_norm"}});
}

void push_norm(Array& blocks, const Common& common) { push_norm(blocks, common.norm); }

/// Heads that share `hidden` between them.
int read_shared_heads(const Value& config, const char* member, int hidden, int fallback) {
  const int heads = read_positive(config, member, fallback);
  if (hidden % heads != 0) refuse(config, "hidden", fmt::format("expected a multiple of the {} heads", heads));
  return heads;
}

int read_hidden_heads(const Value& config, int hidden) { return read_shared_heads(config, "heads", hidden, kDefaultHeads); }

Value readout_block(const Value& config, const Common& common) {
  if (common.readout == "set2set") {
    return Object{{"type", "set2set"}, {"steps", read_positive(config, "readout_steps", 3)}};
  }
  if (common.readout == "attention") {
    return Object{{"type", "attention_readout"},
                  {"heads", read_shared_heads(config, "readout_heads", common.hidden, 1)}};
  }
  if (common.readout == "query") {
    const int heads = read_shared_heads(config, "readout_heads", common.hidden, 4);
    return Object{{"type", "query_readout"}, {"heads", heads}, {"width", common.hidden / heads}};
  }
  return Object{{"type", "readout"}, {"kind", common.readout}};
}

/// Sums over the nodes are as large as the graphs: behind them the network starts with outputs far from any target,
/// and the first steps back can switch all of its units off. So what is read out is standardised.
std::string read_readout_norm(const Value& config) {
  read_choice(config, "readout_norm", norm_names(), 0);
  return config.get("readout_norm", "layer");
}

/// From `hidden` columns to the outputs: a linear map for each node, or a readout and a small network for each graph.
void push_outputs(Array& blocks, const Value& config, const Common& common) {
  if (common.is_graph_level()) {
    const double dropout = read_rate(config, "readout_dropout", common.dropout);
    blocks.push_back(readout_block(config, common));
    push_norm(blocks, read_readout_norm(config));
    blocks.push_back(linear_block(read_positive(config, "readout_hidden", common.hidden)));
    blocks.push_back(activation_block(common.activation));
    blocks.push_back(dropout_block(dropout));
  }
  blocks.push_back(linear_block("outputs"));
}

/// Copies the members that are there.
void pass_on(const Value& from, Value& to, std::initializer_list<const char*> members) {
  for (const char* member : members) {
    if (const Value* value = from.find(member)) to.set(member, *value);
  }
}

/// Hidden layers with norm and activation behind each; then the last layer as it is, which gives the outputs, or at
/// graph level one more hidden layer and the readout.
template <class Hidden, class Last>
Array stack(const Value& config, const Common& common, const Hidden& hidden, const Last& last) {
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    if (i + 1 == common.layers && !common.is_graph_level()) {
      blocks.push_back(last());
      return blocks;
    }
    blocks.push_back(hidden());
    push_norm(blocks, common);
    blocks.push_back(activation_block(common.activation));
  }
  push_outputs(blocks, config, common);
  return blocks;
}

/// The frame of Platonov et al. 2023: a linear map in, residual pre-norm layers, a norm and a linear map (or a readout)
/// out.
template <class Layer>
Array residual_stack(const Value& config, const Common& common, const Layer& push_layer) {
  Array blocks = {linear_block(common.hidden), dropout_block(common.dropout), activation_block(common.activation)};
  for (int i = 0; i < common.layers; ++i) push_layer(blocks);
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

Value feed_forward_block(const Value& config, const Common& common) {
  return Object{{"type", "feed_forward"},
                {"hidden", common.hidden * read_positive(config, "expansion", 2)},
                {"width", common.hidden},
                {"activation", common.activation},
                {"dropout", common.dropout}};
}

void push_feed_forward(Array& blocks, const Value& config, const Common& common) {
  Array layer;
  push_norm(layer, common);
  layer.push_back(feed_forward_block(config, common));
  layer.push_back(dropout_block(common.dropout));
  blocks.push_back(residual_block(std::move(layer)));
}

/// Heads side by side in `hidden` columns.
Value attention_block(const Value& config, const Common& common, const char* type,
                      std::initializer_list<const char*> passed_on) {
  const int heads = read_hidden_heads(config, common.hidden);
  Value block = Object{{"type", type},
                       {"heads", heads},
                       {"width", common.hidden / heads},
                       {"attention_dropout", read_rate(config, "attention_dropout", 0)}};
  pass_on(config, block, passed_on);
  return block;
}

bool is_pre_norm(const Value& config) {
  const Value* residual = config.find("residual");
  return residual != nullptr && residual->is_string() && residual->as_string() == "pre_norm";
}

/// "residual": "pre_norm": residual blocks of norm, attention, activation and dropout; with "expansion" a feed-forward
/// block behind each.
Array pre_norm_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  const Common common = read_common(config, {.dropout = 0.2, .norm = "layer", .activation = "gelu"});
  const Value attention = attention_block(config, common, type, passed_on);
  return residual_stack(config, common, [&](Array& blocks) {
    Array layer;
    push_norm(layer, common);
    layer.push_back(attention);
    layer.push_back(activation_block(common.activation));
    layer.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(layer)));
    if (config.find("expansion") != nullptr) push_feed_forward(blocks, config, common);
  });
}

/// The shape of the paper's network: heads side by side in the hidden layers, averaged in the last.
Array attention_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  const Common common = read_common(config, {.dropout = 0.6, .norm = "none", .activation = "elu"});
  const int heads = read_hidden_heads(config, common.hidden);
  const double attention_dropout = read_rate(config, "attention_dropout", common.is_graph_level() ? 0 : 0.6);
  read_probability(config, "feature_dropout", 0);
  if (config.find("expansion") != nullptr) refuse(config, "expansion", "expected \"residual\": \"pre_norm\" beside it");
  const auto layer = [&](int layer_heads, Value width, const char* merge) {
    Value block = Object{{"type", type},
                         {"heads", layer_heads},
                         {"width", std::move(width)},
                         {"merge", merge},
                         {"dropout", common.dropout},
                         {"attention_dropout", attention_dropout}};
    pass_on(config, block, passed_on);
    return block;
  };
  const int output_heads = read_positive(config, "output_heads", 1);
  return stack(
      config, common, [&] { return layer(heads, common.hidden / heads, "concat"); },
      [&] { return layer(output_heads, "outputs", "mean"); });
}

Array gat(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "dropout_per_head", "score_bias",
                      "residual", "expansion", "negative_slope", "edge_features", "normaliser", "mask", "storage"});
  if (is_pre_norm(config)) {
    return pre_norm_stack(config, "gat", {"feature_dropout", "score_bias", "negative_slope", "edge_features"});
  }
  return attention_stack(config, "gat", {"feature_dropout", "dropout_per_head", "score_bias", "residual",
                                         "negative_slope", "edge_features"});
}

Array gatv2(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual",
                      "expansion", "negative_slope", "edge_features", "edge_value", "normaliser", "mask", "storage"});
  if (is_pre_norm(config)) {
    return pre_norm_stack(config, "gatv2",
                          {"feature_dropout", "share_weights", "negative_slope", "edge_features", "edge_value"});
  }
  return attention_stack(config, "gatv2", {"feature_dropout", "share_weights", "residual", "negative_slope",
                                           "edge_features", "edge_value"});
}

Array bahdanau(const Value& config) {
  allow_also(config, {"heads", "output_heads", "attention_dropout", "feature_dropout", "share_weights", "residual",
                      "expansion", "edge_features", "edge_value", "normaliser", "mask", "storage"});
  if (is_pre_norm(config))
    return pre_norm_stack(config, "bahdanau", {"feature_dropout", "share_weights", "edge_features", "edge_value"});
  return attention_stack(config, "bahdanau",
                         {"feature_dropout", "share_weights", "residual", "edge_features", "edge_value"});
}

Array gcn(const Value& config) {
  allow_also(config, {"residual", "edge_weights"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) {
    Value block = Object{{"type", "gcn"}, {"width", std::move(width)}, {"dropout", common.dropout}};
    pass_on(config, block, {"residual", "edge_weights"});
    return block;
  };
  return stack(config, common, [&] { return layer(common.hidden); }, [&] { return layer("outputs"); });
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

/// Ego and neighbours side by side into one feed-forward block.
Array separate_stack(const Value& config, const char* type) {
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

Array gat_sep(const Value& config) { return separate_stack(config, "gat"); }
Array gatv2_sep(const Value& config) { return separate_stack(config, "gatv2"); }

/// Attention and feed-forward as residual blocks of their own; with `is_separate`, ego beside neighbours.
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

/// GPS (Rampasek et al. 2022, eq. 1-4): attention along the edges beside attention over all pairs, each with its
/// residual and norm behind, added; then feed-forward, likewise.
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

/// Sets a member of all attention blocks that lack it: `value` is a block, or blocks.
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
    Preset{"sage", sage, false, false},
    Preset{"mlp", mlp, false, false},
    Preset{"gat_sep", gat_sep, false, true},
    Preset{"gatv2_sep", gatv2_sep, false, true},
    Preset{"transformer_sep", transformer_sep, false, true},
    Preset{"gps", gps, false, true},
};

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
  const bool has_input_norm = read_choice(config, "input_norm", {"none", "batch"}, 0) == 1;
  if (has_input_norm) blocks.insert(blocks.begin(), Object{{"type", "batch_norm"}});
  return Object{{"graph", std::move(graph)}, {"blocks", std::move(blocks)}};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

bool has_heads(const std::string& preset) {
  return std::ranges::any_of(kPresets, [&](const Preset& known) { return known.has_heads && preset == known.name; });
}

}  // namespace edgewise::nn
