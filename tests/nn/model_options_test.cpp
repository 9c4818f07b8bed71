#include "edgewise/nn/model_options.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"

using namespace edgewise;

namespace {

/// With every member set.
nn::ModelOptions all_set() {
  return {
      .graph = {{.flow = graph::Flow::target_to_source, .self_loops = false, .edges = true, .weight_as_feature = true}},
      .hidden = 16,
      .layers = 3,
      .dropout = 0.25,
      .input_dropout = 0.1,
      .norm = nn::Norm::batch,
      .input_norm = nn::Norm::batch,
      .activation = nn::Activation::gelu,
      .readout = nn::GraphReadout::sum_mean_max,
      .readout_hidden = 8,
      .readout_heads = 2,
      .readout_steps = 2,
      .readout_dropout = 0.5,
      .readout_norm = nn::Norm::none,
      .descriptors = true,
      .components = 2,
      .symmetric = true,
      .own_encoders = true,
      .cross = true,
      .link_kind = nn::LinkKind::dot,
      .common = nn::LinkCommon::sum,
      .link_numbers = true,
      .heads = 4,
      .output_heads = 2,
      .expansion = 3,
      .attention_dropout = 0.3,
      .feature_dropout = 0.2,
      .negative_slope = 0.1,
      .dropout_per_head = true,
      .score_bias = true,
      .share_weights = true,
      .edge_value = true,
      .edge_weights = true,
      .residual = nn::PresetResidual::pre_norm,
      .edge_features = nn::EdgeFeatures::no,
      .edge_mode = nn::EdgeMode::bias,
      .normaliser = attention::Normaliser::relu,
      .mask = "k_hop:2",
      .relations = 2,
      .bases = 2,
      .aggregate = nn::Aggregate::sum,
      .restart = 0.2,
      .mapping = 0.4,
      .weight_decay = 2,
      .node_dropout = 0.4,
      .positions = nn::PresetPositions::none,
      .global = nn::PresetGlobal::linear,
      .tied = true};
}

}  // namespace

TEST_CASE("typed options give the model that the JSON of the preset gives", "[nn][model_options]") {
  const std::pair<json::Value, const char*> pairs[] = {
      {nn::gat({.hidden = 64, .heads = 8}), R"({"preset": "gat", "hidden": 64, "heads": 8})"},
      {nn::gat(), R"({"preset": "gat"})"},
      {nn::gat({.graph = {{.self_loops = false}}, .dropout = 0.6, .residual = nn::PresetResidual::automatic}),
       R"({"preset": "gat", "graph": {"self_loops": false}, "dropout": 0.6, "residual": true})"},
      {nn::gatv2({.residual = nn::PresetResidual::post_norm, .edge_features = nn::EdgeFeatures::automatic}),
       R"({"preset": "gatv2", "residual": "post_norm", "edge_features": "auto"})"},
      {nn::transformer({.layers = 3, .norm = nn::Norm::layer, .mask = "k_hop:2"}),
       R"({"preset": "transformer", "layers": 3, "norm": "layer", "mask": "k_hop:2"})"},
      {nn::sage({.readout = nn::GraphReadout::query, .readout_heads = 2}),
       R"({"preset": "sage", "readout": "query", "readout_heads": 2})"},
      {nn::gcn({.readout = nn::GraphReadout::links, .link_kind = nn::LinkKind::bilinear,
                .common = nn::LinkCommon::none}),
       R"({"preset": "gcn", "readout": "links", "link_kind": "bilinear", "common": "none"})"},
      {nn::gps({.global = nn::PresetGlobal::sgformer}), R"({"preset": "gps", "global": "sgformer"})"},
      {nn::preset("lstm", {.positions = nn::PresetPositions::sinusoidal}),
       R"({"preset": "lstm", "positions": "sinusoidal"})"}};
  const nn::ModelShape shape{.inputs = 5, .outputs = 2};
  for (const auto& [typed, text] : pairs) {
    INFO(text);
    const json::Value written = json::parse(text, "test");
    CHECK(json::dump(nn::expand_model(typed)) == json::dump(nn::expand_model(written)));
    nn::Model one(typed, shape, 7), other(written, shape, 7);
    const auto parameters = one.parameters(), others = other.parameters();
    REQUIRE(parameters.size() == others.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) CHECK(parameters[i]->value == others[i]->value);
  }
}

TEST_CASE("every member of every preset has a typed option, and no option is without a preset", "[nn][model_options]") {
  std::set<std::string> members;
  for (const std::string& preset : nn::preset_names())
    for (const std::string& member : nn::preset_members(preset)) members.insert(member);
  std::set<std::string> written;
  const json::Value model = nn::preset("gat", all_set());
  for (const auto& [member, value] : model.as_object()) written.insert(member);
  CHECK(written == members);
}

TEST_CASE("an option that the preset does not have is refused", "[nn][model_options]") {
  CHECK_THROWS_AS(nn::expand_model(nn::gcn({.heads = 4})), UsageError);
  CHECK_THROWS_AS(nn::expand_model(nn::gat({.hidden = 0})), UsageError);
}
