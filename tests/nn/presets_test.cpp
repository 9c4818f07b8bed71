#include "edgewise/nn/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/graph/masks/rules.hpp"
#include "support/gradient_check.hpp"
#include "support/presets.hpp"
#include "support/ring_batch.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("every preset takes every readout", "[nn][presets]") {
  const test::Batch batch = test::ring_batch({3, 0, 1, 6});
  for (const std::string& name : test::presets_of_nodes()) {
    for (const char* readout : {"sum", "mean", "max", "sum_mean_max", "attention", "query", "set2set"}) {
      const std::string text = R"({"preset": ")" + name + R"(", "hidden": 16, "readout": ")" + readout +
                               R"(", "readout_hidden": 6, "readout_dropout": 0.2})";
      INFO(text);
      nn::Model model(json::parse(text, "test"), test::kBatchShape, 5);
      CHECK(model.is_graph_level());
      CHECK(model.uses_mask("complete") == (name == "gps" || name == "attention"));
      nn::Model again(json::parse(json::dump(model.config()), "again"), test::kBatchShape, 5);
      CHECK(model.config() == again.config());
      CHECK(model.parameter_count() == again.parameter_count());
      autograd::Parameter x("x", batch.x);
      autograd::Tape tape;
      nn::ForwardContext context = test::context_of(tape, batch, true);
      std::map<std::string, graph::FrozenGraph> made;
      for (const nn::MaskShape& mask : model.masks())
        if (!context.masks.contains(mask.name))
          made.emplace(mask.name,
                       graph::parse_mask(mask.name).build({.edges = batch.all.graph, .offsets = batch.all.offsets}));
      for (const auto& [mask_name, mask] : made) context.masks.emplace(mask_name, &mask);
      const autograd::Variable y = model.forward(context, {.dense = tape.parameter(x)});
      REQUIRE(y.rows() == 4);
      REQUIRE(y.cols() == test::kBatchShape.outputs);
      CHECK(y.value().allFinite());
      const Matrix ones = Matrix::Ones(y.rows(), y.cols());
      tape.backward(test::weighted_sum(y, ones));
      CHECK(x.gradient.allFinite());
      CHECK_FALSE(x.gradient.isZero(0));
    }
  }
}

TEST_CASE("the attention presets have a pre-norm form", "[nn][presets]") {
  const auto blocks_of = [](const std::string& members) {
    return nn::expand_preset(json::parse(R"({"preset": "gatv2", "hidden": 16, "layers": 3, )" + members + "}", "test"))
        .at("blocks")
        .as_array();
  };
  CHECK(blocks_of(R"("residual": "pre_norm")").size() == 3 + 3 + 2);
  CHECK(blocks_of(R"("residual": "pre_norm", "expansion": 2)").size() == 3 + 6 + 2);
  const json::Array blocks = blocks_of(R"("residual": "pre_norm", "edge_value": true, "readout": "mean")");
  REQUIRE(blocks.size() == 3 + 3 + 1 + 6);
  const json::Array& layer = blocks[3].at("blocks").as_array();
  CHECK(layer[0].at("type").as_string() == "layer_norm");
  CHECK(layer[1].at("type").as_string() == "gatv2");
  CHECK(layer[1].at("edge_value").as_bool());
  CHECK(blocks[7].at("type").as_string() == "readout");
}

TEST_CASE("the classic presets have a post-norm form", "[nn][presets]") {
  for (const char* preset : {"gat", "gatv2", "bahdanau", "gcn"}) {
    INFO(preset);
    json::Value config = json::parse(R"({"residual": "post_norm", "hidden": 16, "layers": 3, "dropout": 0.7})", "test");
    config.set("preset", preset);
    const json::Array blocks = nn::expand_preset(config).at("blocks").as_array();
    REQUIRE(blocks.size() == 3 * 4 + 1);
    for (std::size_t layer = 0; layer < 3; ++layer) {
      CHECK(blocks[4 * layer].at("type") == json::Value(preset));
      CHECK(blocks[4 * layer].at("residual") == json::Value("projection"));
      CHECK(blocks[4 * layer + 1].at("type") == json::Value("batch_norm"));
      CHECK(blocks[4 * layer + 2].at("function") == json::Value("relu"));
      CHECK(blocks[4 * layer + 3].at("probability") == json::Value(0.7));
    }
    CHECK(blocks[12].at("type") == json::Value("linear"));
    config.set("expansion", 2);
    CHECK_THROWS_WITH(nn::expand_preset(config), Contains("expansion"));
  }
}

TEST_CASE("a preset attends over the given mask, unless it has its own", "[nn][presets][masks]") {
  for (const std::string& name : test::presets_of_nodes()) {
    INFO(name);
    json::Value config{json::Object{}};
    config.set("preset", name);
    config.set("mask", "k_hop:2");
    const bool takes_mask = nn::has_heads(name) && !nn::find_preset(name)->is_relational;
    if (!takes_mask && name != "window" && name != "convolution") {
      CHECK_THROWS_WITH(nn::Model(config, test::kBatchShape, 1), Contains("unknown member \"mask\""));
      continue;
    }
    const nn::Model model(config, test::kBatchShape, 1);
    CHECK(model.uses_mask("k_hop:2"));
    CHECK(model.uses_mask("complete") == (name == "gps"));
    CHECK_FALSE(model.uses_mask("edges"));
    config.set("mask", "k_hop:x");
    CHECK_THROWS_WITH(nn::Model(config, test::kBatchShape, 1), Contains("expected k_hop:k with an integer"));
  }
}

TEST_CASE("gps sees all other nodes by the branch that it is told to have", "[nn][presets]") {
  const auto gps = [](const std::string& global) {
    return nn::Model(json::Object{{"preset", "gps"}, {"hidden", 8}, {"heads", 2}, {"global", global}},
                     test::kBatchShape, 1);
  };
  CHECK(gps("complete").uses_mask("complete"));
  for (const char* linear : {"linear", "sgformer", "none"}) CHECK_FALSE(gps(linear).uses_mask("complete"));
  CHECK(gps("linear").uses_mask("readout"));
  CHECK_FALSE(gps("none").uses_mask("readout"));
  CHECK_THROWS_WITH(gps("all"), Contains("global"));
}

TEST_CASE("attention sees its mask, all rows at linear cost, or both with half of the heads", "[nn][presets]") {
  const auto attention = [](const std::string& members) {
    const std::string text = fmt::format(R"({{"preset": "attention", "hidden": 8{}}})", members);
    return nn::Model(json::parse(text, "test"), test::kBatchShape, 1);
  };
  nn::Model band = attention(R"(, "heads": 2, "mask": "band:1")");
  nn::Model linear = attention(R"(, "heads": 2, "global": "linear")");
  nn::Model both = attention(R"(, "heads": 2, "mask": "band:1", "global": "linear")");
  const auto is_linear = [](const nn::Model& model) {
    return json::dump(model.config()).find("linear_attention") != std::string::npos;
  };
  CHECK((band.uses_mask("band:1") && !is_linear(band)));
  CHECK((is_linear(linear) && !linear.uses_mask("complete")));
  CHECK((is_linear(both) && both.uses_mask("band:1")));
  CHECK(band.parameter_count() == linear.parameter_count());
  CHECK(band.parameter_count() == both.parameter_count());
  CHECK(attention(R"(, "mask": "band:1", "global": "complete")").uses_mask("complete"));
  CHECK(attention("").uses_mask("complete"));
  CHECK_THROWS_WITH(attention(R"(, "mask": "band:1", "global": "linear", "heads": 1)"), Contains("even number"));
}

TEST_CASE("presets share the hidden units between heads", "[nn][presets]") {
  const json::Value config = json::parse(R"({"hidden": 6, "heads": 4})", "model");
  for (const std::string& name : nn::preset_names()) {
    INFO(name);
    json::Value preset = config;
    preset.set("preset", name);
    const std::vector<std::string> without = {"gcn", "gcn2",   "grand",       "sage",
                                              "mlp", "rgcn",   "window", "convolution", "lstm",
                                              "lstm_attention_pair", "lstm_pair"};
    CHECK(nn::has_heads(name) == (std::ranges::count(without, name) == 0));
    CHECK_THROWS_WITH(nn::expand_preset(preset),
                      Contains(nn::has_heads(name) ? "multiple of the 4 heads" : "unknown member \"heads\""));
  }
  CHECK_FALSE(nn::has_heads("gta"));
}

TEST_CASE("GRAND drops nodes, then spreads the others", "[nn][presets]") {
  const json::Value model = nn::expand_preset(
      json::parse(R"({"preset": "grand", "layers": 3, "restart": 0.2, "node_dropout": 0.4, "dropout": 0.1})", "test"));
  CHECK(model.at("graph").get("self_loops", false));
  const json::Array& blocks = model.at("blocks").as_array();
  REQUIRE(blocks.size() == 7);
  CHECK(blocks[2] == json::parse(R"({"type": "dropout", "probability": 0.4, "rows": true})", "test"));
  CHECK(blocks[3] == json::parse(R"({"type": "appnp", "steps": 3, "restart": 0.2})", "test"));
}

TEST_CASE("self loops are added only where a mask is made from edges", "[nn][presets]") {
  const auto has_self_loops = [](const std::string& members) {
    return nn::expand_preset(json::parse(R"({"preset": "attention")" + members + "}", "test"))
        .at("graph")
        .get("self_loops", false);
  };
  CHECK(has_self_loops(R"(, "mask": "edges")"));
  CHECK(has_self_loops(R"(, "mask": "k_hop:2")"));
  CHECK_FALSE(has_self_loops(R"(, "mask": "band:8")"));
  CHECK(has_self_loops(R"(, "mask": "band:8", "graph": {"self_loops": true})"));
}

TEST_CASE("presets standardise what is read out", "[nn][presets]") {
  const auto behind_readout = [](const std::string& members) {
    const json::Value model = nn::expand_preset(json::parse(R"({"preset": "gcn", "layers": 1, "readout": "sum")" +
                                                            members + "}", "test"));
    return model.at("blocks").as_array()[3].at("type").as_string();
  };
  CHECK(behind_readout("") == "layer_norm");
  CHECK(behind_readout(R"(, "readout_norm": "layer")") == "layer_norm");
  CHECK(behind_readout(R"(, "readout_norm": "batch")") == "batch_norm");
  CHECK(behind_readout(R"(, "readout_norm": "none")") == "linear");
}

TEST_CASE("presets refuse members of a missing readout", "[nn][presets]") {
  const auto check = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(nn::expand_preset(json::parse(text, "test")), Contains(message));
  };
  check(R"({"preset": "gcn", "readout_hidden": 3})", "readout_hidden: expected a \"readout\" as well");
  check(R"({"preset": "gcn", "readout_norm": "layer"})", "readout_norm: expected a \"readout\" as well");
  check(R"({"preset": "gcn", "readout": "sum", "readout_norm": "row"})", "readout_norm: expected one of none");
  check(R"({"preset": "gcn", "readout": "middle"})", "readout: expected one of sum, mean");
  check(R"({"preset": "gat", "residual": "post_norm", "output_heads": 2})",
        "output_heads: expected no \"residual\": \"pre_norm\" or \"post_norm\" with it");
  check(R"({"preset": "gat", "expansion": 2})", "expansion: expected \"residual\": \"pre_norm\" as well");
  check(R"({"preset": "gcn", "heads": 2})", "unknown member \"heads\"");
  check(R"({"preset": "gcn", "readout": "query", "readout_heads": 3})", "hidden\": expected a multiple of the 3 heads");
}

TEST_CASE("input_dropout is that of the first layer", "[nn][presets]") {
  const auto first_block = [](const std::string& preset, const char* probability) {
    const std::string text = R"({"preset": ")" + preset + R"(", "input_dropout": )" + probability + "}";
    return nn::expand_preset(json::parse(text, "test")).at("blocks").as_array().front();
  };
  for (const char* preset : {"gcn", "sage", "gat"})
    CHECK(first_block(preset, "0.25").at("dropout") == json::Value(0.25));
  CHECK(first_block("mlp", "0.25").at("probability") == json::Value(0.25));
  CHECK(first_block("gat_sep", "0.25").at("type") == json::Value("dropout"));
  CHECK(first_block("gat_sep", "0").at("type") == json::Value("linear"));
  CHECK_THROWS_AS(first_block("mlp", "1"), Error);
}
