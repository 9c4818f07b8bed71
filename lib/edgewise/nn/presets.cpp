#include "edgewise/nn/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"

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
};

struct Defaults {
  double dropout;
  const char* norm;
  const char* activation;
};

Common read_common(const Value& config, const Defaults& defaults) {
  read_choice(config, "norm", {"none", "layer", "batch"}, 0);
  read_activation(config, "activation", Activation::none);
  return {.hidden = read_positive(config, "hidden", 64),
          .layers = read_positive(config, "layers", 2),
          .dropout = read_rate(config, "dropout", defaults.dropout),
          .norm = config.get("norm", defaults.norm),
          .activation = config.get("activation", defaults.activation)};
}

void push_norm(Array& blocks, const Common& common) {
  if (common.norm != "none") blocks.emplace_back(Object{{"type", common.norm + "_norm"}});
}

/// Heads that share `hidden` between them.
int read_heads(const Value& config, int hidden) {
  const int heads = read_positive(config, "heads", 8);
  if (hidden % heads != 0) refuse(config, "hidden", fmt::format("expected a multiple of the {} heads", heads));
  return heads;
}

/// Copies the members that are there.
void pass_on(const Value& from, Value& to, std::initializer_list<const char*> members) {
  for (const char* member : members) {
    if (const Value* value = from.find(member)) to.set(member, *value);
  }
}

/// Hidden layers `make(i)` with norm and activation behind each, and the last layer as it is.
template <class Hidden>
Array stack(const Common& common, const Hidden& hidden, Value last) {
  Array blocks;
  for (int i = 0; i + 1 < common.layers; ++i) {
    blocks.push_back(hidden());
    push_norm(blocks, common);
    blocks.push_back(activation_block(common.activation));
  }
  blocks.push_back(std::move(last));
  return blocks;
}

/// The shape of the paper's network: heads side by side in the hidden layers, averaged in the last.
Array attention_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  const Common common = read_common(config, {.dropout = 0.6, .norm = "none", .activation = "elu"});
  const int heads = read_heads(config, common.hidden);
  const double attention_dropout = read_rate(config, "attention_dropout", 0.6);
  read_probability(config, "feature_dropout", 0);
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
  return stack(
      common, [&] { return layer(heads, common.hidden / heads, "concat"); },
      layer(read_positive(config, "output_heads", 1), "outputs", "mean"));
}

Array gat(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "heads", "output_heads", "layers", "dropout", "attention_dropout",
                     "feature_dropout", "dropout_per_head", "score_bias", "residual", "norm", "activation",
                     "negative_slope", "edge_features"});
  return attention_stack(config, "gat", {"feature_dropout", "dropout_per_head", "score_bias", "residual",
                                         "negative_slope", "edge_features"});
}

Array gatv2(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "heads", "output_heads", "layers", "dropout", "attention_dropout",
                     "feature_dropout", "share_weights", "residual", "norm", "activation", "negative_slope",
                     "edge_features"});
  return attention_stack(config, "gatv2",
                         {"feature_dropout", "share_weights", "residual", "negative_slope", "edge_features"});
}

Array gcn(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "layers", "dropout", "residual", "norm", "activation",
                     "edge_weights"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) {
    Value block = Object{{"type", "gcn"}, {"width", std::move(width)}, {"dropout", common.dropout}};
    pass_on(config, block, {"residual", "edge_weights"});
    return block;
  };
  return stack(common, [&] { return layer(common.hidden); }, layer("outputs"));
}

Array sage(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "layers", "dropout", "norm", "activation"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  const auto layer = [&](Value width) -> Value {
    return Object{{"type", "mean"}, {"width", std::move(width)}, {"dropout", common.dropout}};
  };
  return stack(common, [&] { return layer(common.hidden); }, layer("outputs"));
}

Array mlp(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "layers", "dropout", "norm", "activation"});
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "relu"});
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    const bool is_last = i + 1 == common.layers;
    blocks.push_back(dropout_block(common.dropout));
    blocks.push_back(linear_block(is_last ? Value("outputs") : Value(common.hidden)));
    if (is_last) break;
    push_norm(blocks, common);
    blocks.push_back(activation_block(common.activation));
  }
  return blocks;
}

/// The frame of Platonov et al. 2023: a linear map in, residual pre-norm layers, a norm and a linear map out.
template <class Layer>
Array residual_stack(const Common& common, const Layer& push_layer) {
  Array blocks = {linear_block(common.hidden), dropout_block(common.dropout), activation_block(common.activation)};
  for (int i = 0; i < common.layers; ++i) push_layer(blocks);
  push_norm(blocks, common);
  blocks.push_back(linear_block("outputs"));
  return blocks;
}

Value feed_forward_block(const Value& config, const Common& common) {
  return Object{{"type", "feed_forward"},
                {"hidden", common.hidden * read_positive(config, "expansion", 2)},
                {"width", common.hidden},
                {"activation", common.activation},
                {"dropout", common.dropout}};
}

Value attention_block(const Value& config, const Common& common, const char* type) {
  const int heads = read_heads(config, common.hidden);
  Value block = Object{{"type", type},
                       {"heads", heads},
                       {"width", common.hidden / heads},
                       {"attention_dropout", read_rate(config, "attention_dropout", 0)}};
  pass_on(config, block, {"edge_features"});
  return block;
}

Common read_residual_common(const Value& config) {
  config.allow_only({"preset", "graph", "hidden", "heads", "layers", "dropout", "attention_dropout", "expansion",
                     "norm", "activation", "edge_features"});
  return read_common(config, {.dropout = 0.2, .norm = "layer", .activation = "gelu"});
}

/// Ego and neighbours side by side into one feed-forward block.
Array separate_stack(const Value& config, const char* type) {
  const Common common = read_residual_common(config);
  const Value attention = attention_block(config, common, type);
  return residual_stack(common, [&](Array& blocks) {
    Array layer;
    push_norm(layer, common);
    layer.emplace_back(Object{{"type", "separate"}, {"block", attention}});
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
  Value attention = attention_block(config, common, "dot_product");
  if (!is_separate) attention.set("output_projection", true);
  return residual_stack(common, [&](Array& blocks) {
    Array first;
    push_norm(first, common);
    if (is_separate) {
      first.emplace_back(Object{{"type", "separate"}, {"block", attention}});
      first.push_back(linear_block(common.hidden));
    } else {
      first.push_back(attention);
    }
    first.push_back(dropout_block(common.dropout));
    Array second;
    push_norm(second, common);
    second.push_back(feed_forward_block(config, common));
    second.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(first)));
    blocks.push_back(residual_block(std::move(second)));
  });
}

Array transformer(const Value& config) { return transformer_stack(config, false); }
Array transformer_sep(const Value& config) { return transformer_stack(config, true); }

struct Preset {
  const char* name;
  Array (*expand)(const Value& config);
  bool has_self_loops;  // added unless the configuration says otherwise
};

constexpr std::array kPresets = {
    Preset{"gat", gat, true},
    Preset{"gatv2", gatv2, true},
    Preset{"transformer", transformer, true},
    Preset{"gcn", gcn, true},
    Preset{"sage", sage, false},
    Preset{"mlp", mlp, false},
    Preset{"gat_sep", gat_sep, false},
    Preset{"gatv2_sep", gatv2_sep, false},
    Preset{"transformer_sep", transformer_sep, false},
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
  return Object{{"graph", std::move(graph)}, {"blocks", found->expand(config)}};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

}  // namespace edgewise::nn
