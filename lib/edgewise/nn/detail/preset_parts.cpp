#include "edgewise/nn/detail/preset_parts.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/model_options.hpp"

namespace edgewise::nn::detail {
namespace {

/// With a readout, the default dropout is low: graphs are small, and each contributes one number to the loss; links
/// have as many labels as there are edges.
constexpr double kReadoutDropout = 0.1;

constexpr std::int64_t kMostComponents = 1000;

bool has_readout(const Value& config) { return config.find("readout") != nullptr; }

void push_norm(Array& blocks, const std::string& norm) {
  if (norm != "none") blocks.emplace_back(Object{{"type", norm + "_norm"}});
}

/// The number of heads that `hidden` columns are divided between.
int read_shared_heads(const Value& config, const char* member, int hidden, int fallback) {
  const int heads = read_positive(config, member, fallback);
  if (hidden % heads != 0) refuse(config, "hidden", fmt::format("expected a multiple of the {} heads", heads));
  return heads;
}

int read_hidden_heads(const Value& config, int hidden) {
  return read_shared_heads(config, "heads", hidden, kDefaultHeads);
}

Value link_readout_block(const Value& config, const Common& common) {
  Value block = Object{{"type", "link_readout"},
                       {"kind", config.get("link_kind", "product")},
                       {"common", config.get("common", "attention")}};
  if (block.at("common") == Value("attention"))
    block.set("heads", read_shared_heads(config, "readout_heads", common.hidden, LinkReadoutOptions{}.heads));
  return block;
}

Value readout_block(const Value& config, const Common& common) {
  if (common.is_link_level()) return link_readout_block(config, common);
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

/// Sums over the nodes grow with the graphs. Without a norm after them, the network starts with outputs far from any
/// target, and its first training steps can switch off all of its units.
std::string read_readout_norm(const Value& config, const Common& common) {
  const bool is_one_column = common.is_link_level() && config.get("link_kind", "product") == "dot" &&
                             config.get("common", "attention") == "none";
  read_choice(config, "readout_norm", norm_names(), 0);
  const std::string norm = config.get("readout_norm", is_one_column ? "none" : "layer");
  if (is_one_column && norm == "layer")
    refuse(config, "readout_norm", "expected none or batch: a dot product is one column, which \"layer\" makes 0");
  return norm;
}

/// Attention to the other parts of a graph, residual and pre-norm.
Value cross_block(const Value& config, const Common& common) {
  Value attention = attention_block(config, common, "dot_product", {});
  attention.set("mask", "cross");
  attention.set("output_projection", true);
  return residual_block({Object{{"type", "layer_norm"}}, std::move(attention), dropout_block(common.dropout)});
}

/// The readout of each of `count` parts, after what makes their rows.
void push_components(Array& blocks, Array readout, std::int64_t count, const Value& config, const Common& common) {
  const bool is_symmetric = config.get("symmetric", false), have_own = config.get("own_encoders", false);
  if (is_symmetric && have_own) refuse(config, "own_encoders", "expected no \"symmetric\" beside it");
  if (have_own) blocks = {Object{{"type", "part_encoders"}, {"count", count}, {"blocks", std::move(blocks)}}};
  if (config.get("cross", false)) blocks.push_back(cross_block(config, common));
  blocks.emplace_back(
      Object{{"type", "components"}, {"count", count}, {"sum", is_symmetric}, {"blocks", std::move(readout)}});
}

/// The readout and its norm; of graphs of several parts those of each part.
void push_readout(Array& blocks, const Value& config, const Common& common) {
  Array readout = {readout_block(config, common)};
  push_norm(readout, read_readout_norm(config, common));
  const auto count = json::read_integer(config, "components", 1, 1, kMostComponents);
  if (count > 1) return push_components(blocks, std::move(readout), count, config, common);
  for (const char* member : {"own_encoders", "cross"})
    if (config.get(member, false)) refuse(config, member, "expected several \"components\" as well");
  blocks.insert(blocks.end(), readout.begin(), readout.end());
}

/// Refuses members of a readout beside another one.
void check_readout_members(const Value& config) {
  const Value* given = config.find("readout");
  const std::string readout = given == nullptr ? "" : given->as_string();
  for (const char* member : {"readout_hidden", "readout_dropout", "readout_heads", "readout_steps", "readout_norm",
                             "descriptors", "components", "symmetric", "own_encoders", "cross"})
    if (config.find(member) != nullptr && readout.empty()) refuse(config, member, "expected a \"readout\" as well");
  for (const char* member : {"link_kind", "common", "link_numbers"})
    if (config.find(member) != nullptr && readout != kLinkReadout)
      refuse(config, member, "expected \"readout\": \"links\" as well");
  if (readout == kLinkReadout && config.find("components") != nullptr)
    refuse(config, "components", "expected a readout of graphs, not of links");
  if (readout == kLinkReadout && config.get("descriptors", false))
    refuse(config, "descriptors", "expected \"link_numbers\" for links: descriptors are numbers of graphs");
}

/// The node set of numbers that are appended to the readout; empty if there is none.
std::string numbers_of(const Value& config) {
  if (config.get("descriptors", false)) return kDescriptors;
  return config.get("link_numbers", false) ? kLinkNumbers : "";
}

/// Refuses members of the paper's network that do not apply to the architectures with norms.
void refuse_beside_norms(const Value& config) {
  for (const char* member : {"output_heads", "dropout_per_head"})
    if (config.find(member) != nullptr)
      refuse(config, member, "expected no \"residual\": \"pre_norm\" or \"post_norm\" with it");
}

void refuse_expansion(const Value& config) {
  if (config.find("expansion") != nullptr) refuse(config, "expansion", "expected \"residual\": \"pre_norm\" as well");
}

}  // namespace

Value activation_block(const std::string& function) {
  return Object{{"type", "activation"}, {"function", function}};
}

double read_rate(const Value& config, const char* member, double fallback) {
  json::Probability::read(config, member, 0);
  return config.get(member, fallback);
}

Value dropout_block(double probability) { return Object{{"type", "dropout"}, {"probability", probability}}; }

Value linear_block(Value width) { return Object{{"type", "linear"}, {"width", std::move(width)}}; }

Value residual_block(Array blocks) { return Object{{"type", "residual"}, {"blocks", std::move(blocks)}}; }

void allow_also(const Value& config, std::span<const char* const> members) {
  refuse_storage(config);
  std::vector<std::string_view> known(kCommonMembers.begin(), kCommonMembers.end());
  known.insert(known.end(), members.begin(), members.end());
  try {
    config.allow_only(known);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} for the model \"{}\"", error.what(), config.get("preset", "")));
  }
}

Common read_common(const Value& config, const Defaults& defaults) {
  read_choice(config, "norm", norm_names(), 0);
  read_choice(config, "readout", graph_readout_names(), 0);
  read_activation(config, "activation", Activation::none);
  read_choice(config, "link_kind", link_kind_names(), 0);
  read_choice(config, "common", link_common_names(), 0);
  check_readout_members(config);
  return {.hidden = read_positive(config, "hidden", 64),
          .layers = static_cast<int>(LayerCount::read(config, "layers", defaults.layers)),
          .dropout = read_rate(config, "dropout", has_readout(config) ? kReadoutDropout : defaults.dropout),
          .norm = config.get("norm", defaults.norm),
          .activation = config.get("activation", defaults.activation),
          .readout = config.get("readout", "")};
}

void push_norm(Array& blocks, const Common& common) { push_norm(blocks, common.norm); }

void push_activation(Array& blocks, const Common& common, bool is_last) {
  if (!is_last || !common.is_link_level()) blocks.push_back(activation_block(common.activation));
}

void push_outputs(Array& blocks, const Value& config, const Common& common) {
  if (common.has_readout()) {
    const double dropout = read_rate(config, "readout_dropout", common.dropout);
    push_readout(blocks, config, common);
    const std::string numbers = numbers_of(config);
    if (!numbers.empty()) blocks.emplace_back(Object{{"type", "concat_set"}, {"set", numbers}});
    blocks.push_back(linear_block(read_positive(config, "readout_hidden", common.hidden)));
    blocks.push_back(activation_block(common.activation));
    blocks.push_back(dropout_block(dropout));
  }
  blocks.push_back(linear_block("outputs"));
}

void pass_on(const Value& from, Value& to, std::initializer_list<const char*> members) {
  for (const char* member : members) {
    if (const Value* value = from.find(member)) to.set(member, *value);
  }
}

Value feed_forward_block(const Value& config, const Common& common) {
  const std::int64_t expanded = std::int64_t{common.hidden} * read_positive(config, "expansion", 2);
  if (expanded > kWidestBlock)
    refuse(config, "expansion", fmt::format("expected at most {} columns with it times \"hidden\"", kWidestBlock));
  return Object{{"type", "feed_forward"},
                {"hidden", expanded},
                {"width", common.hidden},
                {"activation", common.activation},
                {"dropout", common.dropout}};
}

void push_feed_forward(Array& blocks, const Value& config, const Common& common) {
  blocks.push_back(normed_residual(common, {feed_forward_block(config, common)}));
}

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

Array order_inputs(const Value& config, const Common& common, const char* positions) {
  Array blocks = {linear_block(common.hidden)};
  read_choice(config, "positions", preset_position_names(), 0);
  const std::string kind = config.get("positions", positions);
  if (kind == "sinusoidal") blocks.emplace_back(Object{{"type", "layer_norm"}});
  if (kind != "none") blocks.emplace_back(Object{{"type", "positions"}, {"kind", kind}});
  blocks.push_back(dropout_block(common.dropout));
  return blocks;
}

bool is_residual(const Value& config, std::string_view kind) {
  const Value* residual = config.find("residual");
  return residual != nullptr && residual->is_string() && residual->as_string() == kind;
}

Value normed_residual(const Common& common, std::initializer_list<Value> blocks) {
  Array layer;
  push_norm(layer, common);
  layer.insert(layer.end(), blocks);
  layer.push_back(dropout_block(common.dropout));
  return residual_block(std::move(layer));
}

Array pre_norm_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  refuse_beside_norms(config);
  const Common common = read_common(config, {.dropout = 0.2, .norm = "layer", .activation = "gelu"});
  const Value attention = attention_block(config, common, type, passed_on);
  return residual_stack(config, common, [&](Array& blocks) {
    blocks.push_back(normed_residual(common, {attention, activation_block(common.activation)}));
    if (config.find("expansion") != nullptr) push_feed_forward(blocks, config, common);
  });
}

Array post_norm_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "batch", .activation = "relu"});
  refuse_expansion(config);
  refuse_beside_norms(config);
  const bool has_heads = std::string_view(type) != "gcn";
  Value layer = has_heads ? attention_block(config, common, type, passed_on)
                          : Value(Object{{"type", type}, {"width", common.hidden}});
  if (!has_heads) pass_on(config, layer, passed_on);
  layer.set("residual", "projection");
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    blocks.push_back(layer);
    push_norm(blocks, common);
    push_activation(blocks, common, i + 1 == common.layers);
    blocks.push_back(dropout_block(common.dropout));
  }
  push_outputs(blocks, config, common);
  return blocks;
}

Array attention_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on) {
  const Common common = read_common(config, {.dropout = 0.5, .norm = "none", .activation = "elu"});
  const int heads = read_hidden_heads(config, common.hidden);
  const double attention_dropout = read_rate(config, "attention_dropout", common.has_readout() ? 0 : 0.2);
  json::Probability::read(config, "feature_dropout", 0);
  refuse_expansion(config);
  const auto layer = [&](int layer_heads, Value width, const char* merge) {
    Value block = Object{{"type", type},   {"heads", layer_heads},      {"width", std::move(width)},
                         {"merge", merge}, {"dropout", common.dropout}, {"attention_dropout", attention_dropout}};
    pass_on(config, block, passed_on);
    return block;
  };
  const int output_heads = read_positive(config, "output_heads", 1);
  return stack(
      config, common, [&] { return layer(heads, common.hidden / heads, "concat"); },
      [&] { return layer(output_heads, "outputs", "mean"); });
}

}  // namespace edgewise::nn::detail
