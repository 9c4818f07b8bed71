// Layers made by constructors and from JSON are equal to the bit, and the tables of fields match the manual.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/appnp.hpp"
#include "edgewise/nn/attention.hpp"
#include "edgewise/nn/attention_readout.hpp"
#include "edgewise/nn/batch_norm.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/concat_self.hpp"
#include "edgewise/nn/convolution.hpp"
#include "edgewise/nn/dropout.hpp"
#include "edgewise/nn/feed_forward.hpp"
#include "edgewise/nn/gcn.hpp"
#include "edgewise/nn/gcn2.hpp"
#include "edgewise/nn/layer_norm.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/appnp.hpp"
#include "edgewise/nn/linear_attention.hpp"
#include "edgewise/nn/lstm.hpp"
#include "edgewise/nn/parallel.hpp"
#include "edgewise/nn/positions.hpp"
#include "edgewise/nn/residual.hpp"
#include "edgewise/nn/rgcn.hpp"
#include "edgewise/nn/sage.hpp"
#include "edgewise/nn/query_readout.hpp"
#include "edgewise/nn/readout.hpp"
#include "edgewise/nn/set2set.hpp"
#include "support/gradient_check.hpp"
#include "support/ring_batch.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

const test::Batch& batch() {
  static const test::Batch made = test::ring_batch({3, 0, 1, 6});
  return made;
}

nn::BuildContext build_context() {
  return {.shape = test::kBatchShape, .width = test::kInputs, .name = "layer", .seed = 3};
}

std::vector<Matrix> values_of(nn::Block& layer) {
  std::vector<autograd::Parameter*> parameters;
  layer.collect_parameters(parameters);
  std::vector<Matrix> values;
  for (const autograd::Parameter* parameter : parameters) values.push_back(parameter->value);
  return values;
}

Matrix output_of(nn::Block& layer) {
  autograd::Tape tape;
  nn::ForwardContext context = test::context_of(tape, batch(), true);
  return autograd::Variable(layer.forward(context, {.dense = tape.constant(batch().x)}).dense).value();
}

/// `layer` was constructed from `options`. The JSON written from them must give the same options and the same layer.
template <class Options>
void check_twin(const char* type, std::span<const nn::Field<Options>> fields, Options options, nn::Block& layer) {
  const json::Value config = nn::write_fields(type, fields, options).rooted_at("test");
  INFO(json::dump(config));
  nn::BuildContext context = build_context();
  const std::unique_ptr<nn::Block> twin = nn::make_block(config, context);
  CHECK(values_of(*twin) == values_of(layer));
  const Matrix output = output_of(layer);
  CHECK(output == output_of(*twin));
  CHECK(output.cols() == context.width);
  const Options again = nn::read_fields(json::parse(json::dump(config), "again"), fields, test::kBatchShape);
  CHECK(nn::write_fields(type, fields, again) == config);
}

void check_attention(const char* type, const nn::AttentionOptions& options) {
  nn::BuildContext context = build_context();
  nn::Attention layer(options, context);
  check_twin(type, nn::attention_fields(options.score), options, layer);
}

constexpr int kIn = test::kInputs;
const nn::MaskShape kEdges{.name = "edges", .features = test::kEdgeFeatures};

}  // namespace

TEST_CASE("layers made by constructor and from JSON are equal", "[nn][layers]") {
  nn::BuildContext context = build_context();
  {
    const nn::LinearOptions options{.inputs = kIn, .width = 4, .bias = false};
    nn::Linear layer(options, context);
    check_twin("linear", nn::linear_fields(), options, layer);
  }
  {
    const nn::ActivationOptions options{.function = nn::Activation::gelu};
    nn::ActivationLayer layer(options, context);
    check_twin("activation", nn::activation_fields(), options, layer);
  }
  {
    const nn::DropoutOptions options{.probability = 0.4F};
    nn::Dropout layer(options, context);
    check_twin("dropout", nn::dropout_fields(), options, layer);
  }
  {
    const nn::LayerNormOptions options{.inputs = kIn, .epsilon = 1e-3F};
    nn::LayerNorm layer(options, context);
    check_twin("layer_norm", nn::layer_norm_fields(), options, layer);
  }
  {
    const nn::BatchNormOptions options{.inputs = kIn, .epsilon = 1e-3F, .momentum = 0.3F};
    nn::BatchNorm layer(options, context);
    check_twin("batch_norm", nn::batch_norm_fields(), options, layer);
  }
  context = build_context();
  {
    const nn::FeedForwardOptions options{
        .inputs = kIn, .hidden = 7, .width = 4, .activation = nn::Activation::tanh, .dropout = 0.3F};
    nn::FeedForward layer(options, context);
    check_twin("feed_forward", nn::feed_forward_fields(), options, layer);
  }
}

TEST_CASE("layers over edges made by constructor and from JSON are equal", "[nn][layers]") {
  {
    nn::BuildContext context = build_context();
    const nn::GcnOptions options{.inputs = kIn,
                                 .width = 4,
                                 .mask = kEdges,
                                 .dropout = 0.2F,
                                 .residual = nn::Residual::projection,
                                 .edge_weights = true,
                                 .activation = nn::Activation::elu};
    nn::Gcn layer(options, context);
    check_twin("gcn", nn::gcn_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::Gcn2Options options{.width = kIn, .layers = 3, .restart = 0.2F, .mapping = 0.7F, .dropout = 0.2F};
    nn::Gcn2 layer(options, context);
    check_twin("gcn2", nn::gcn2_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::SageOptions options{.inputs = kIn, .width = 4, .dropout = 0.2F, .activation = nn::Activation::relu};
    nn::Sage layer(options, context);
    check_twin("sage", nn::sage_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::RgcnOptions options{
        .inputs = kIn, .width = 4, .relations = 1, .bases = 2, .edge_columns = test::kEdgeFeatures - 1};
    nn::Rgcn layer(options, context);
    check_twin("rgcn", nn::rgcn_fields(), options, layer);
  }
  {
    const nn::AppnpOptions options{.steps = 3, .restart = 0.2F, .dropout = 0.3F, .edge_weights = true};
    nn::Appnp layer(options, build_context());
    check_twin("appnp", nn::appnp_fields(), options, layer);
  }
}

TEST_CASE("layers along an order made by constructor and from JSON are equal", "[nn][layers]") {
  {
    nn::BuildContext context = build_context();
    const nn::ConvolutionOptions options{.inputs = kIn, .width = 4, .mask = kEdges, .dropout = 0.2F, .bias = false};
    nn::Convolution layer(options, context);
    check_twin("convolution", nn::convolution_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::LstmOptions options{.inputs = kIn, .width = 3, .directions = nn::Directions::backward, .dropout = 0.2F};
    nn::Lstm layer(options, context);
    check_twin("lstm", nn::lstm_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::LinearAttentionOptions options{.inputs = kIn,
                                             .width = 3,
                                             .heads = 2,
                                             .kernel = autograd::LinearKernel::sgformer,
                                             .dropout = 0.2F,
                                             .bias = false,
                                             .output_projection = true};
    nn::LinearAttention layer(options, context);
    check_twin("linear_attention", nn::linear_attention_fields(), options, layer);
  }
  {
    nn::BuildContext context = build_context();
    const nn::PositionsOptions options{
        .inputs = kIn, .kind = nn::PositionKind::floater, .longest = 9, .hidden = 4, .step = 0.2F};
    nn::Positions layer(options, context);
    check_twin("positions", nn::positions_fields(), options, layer);
  }
}

TEST_CASE("attention made by constructor and from JSON is equal", "[nn][layers]") {
  check_attention("gat", {.inputs = kIn,
                          .heads = 2,
                          .width = 3,
                          .score = attention::Score::gat,
                          .mask = kEdges,
                          .dropout = 0.3F,
                          .attention_dropout = 0.2F,
                          .residual = nn::Residual::automatic,
                          .activation = nn::Activation::elu,
                          .feature_dropout = 0.1F,
                          .negative_slope = 0.1F,
                          .dropout_per_head = true,
                          .score_bias = true});
  check_attention("gatv2", {.inputs = kIn,
                            .heads = 2,
                            .width = 3,
                            .score = attention::Score::gatv2,
                            .merge = nn::Merge::mean,
                            .mask = kEdges,
                            .edge_features = nn::EdgeFeatures::yes,
                            .normaliser = attention::Normaliser::relu,
                            .share_weights = true,
                            .edge_value = true});
  check_attention("bahdanau", {.inputs = kIn,
                               .width = 3,
                               .score = attention::Score::bahdanau,
                               .mask = {.name = "complete", .features = test::kPairFeatures},
                               .edge_features = nn::EdgeFeatures::no,
                               .bias = false,
                               .projection_bias = false});
  check_attention("dot_product", {.inputs = kIn,
                                  .heads = 2,
                                  .width = 2,
                                  .score = attention::Score::dot_product,
                                  .mask = kEdges,
                                  .residual = nn::Residual::automatic,
                                  .edge_mode = nn::EdgeMode::bias,
                                  .scale = false,
                                  .output_projection = true,
                                  .beta = true});
}

TEST_CASE("readouts made by constructor and from JSON are equal", "[nn][layers][readout]") {
  {
    const nn::ReadoutOptions options{.kind = nn::ReadoutKind::sum_mean_max};
    nn::Readout layer(options, build_context());
    check_twin("readout", nn::readout_fields(), options, layer);
  }
  nn::BuildContext context = build_context();
  {
    const nn::AttentionReadoutOptions options{
        .inputs = kIn, .heads = 2, .width = 3, .hidden = 4, .attention_dropout = 0.2F};
    nn::AttentionReadout layer(options, context);
    check_twin("attention_readout", nn::attention_readout_fields(), options, layer);
  }
  context = build_context();
  {
    const nn::QueryReadoutOptions options{.inputs = kIn, .heads = 2, .width = 3, .bias = false};
    nn::QueryReadout layer(options, context);
    check_twin("query_readout", nn::query_readout_fields(), options, layer);
  }
  context = build_context();
  {
    const nn::Set2SetOptions options{.inputs = kIn, .steps = 2};
    nn::Set2Set layer(options, context);
    check_twin("set2set", nn::set2set_fields(), options, layer);
  }
  context = build_context();
  {
    const nn::LinkReadoutOptions options{
        .inputs = kIn, .kind = nn::LinkKind::bilinear, .common = nn::LinkCommon::none, .heads = 5};
    nn::LinkReadout layer(options, context);
    check_twin("link_readout", nn::link_readout_fields(), options, layer);
  }
}

TEST_CASE("nested blocks made by constructor and from JSON are equal", "[nn][layers]") {
  const auto check = [](const char* text, nn::Block& layer) {
    INFO(text);
    nn::BuildContext context = build_context();
    const std::unique_ptr<nn::Block> twin = nn::make_block(json::parse(text, "test"), context);
    CHECK(values_of(*twin) == values_of(layer));
    CHECK(output_of(*twin) == output_of(layer));
  };
  nn::BuildContext context = build_context();
  const auto linear = [&context](int width) {
    return std::make_unique<nn::Linear>(nn::LinearOptions{.inputs = kIn, .width = width}, context);
  };
  nn::ResidualBlock residual({.inputs = kIn, .width = 4}, linear(4), context);
  check(R"({"type": "residual", "blocks": [{"type": "linear", "width": 4}]})", residual);
  context = build_context();
  nn::ConcatSelf concat(linear(3), context);
  check(R"({"type": "concat_self", "block": {"type": "linear", "width": 3}})", concat);
  context = build_context();
  std::vector<std::unique_ptr<nn::Block>> branches;
  branches.push_back(linear(2));
  branches.push_back(linear(2));
  nn::Parallel parallel(std::move(branches), context);
  check(R"({"type": "parallel", "branches": [[{"type": "linear", "width": 2}], [{"type": "linear", "width": 2}]]})",
        parallel);
}

TEST_CASE("constructors refuse invalid options", "[nn][layers]") {
  nn::BuildContext context = build_context();
  const auto refuse = [&](const nn::AttentionOptions& options, const std::string& message) {
    CHECK_THROWS_AS(nn::Attention(options, context), UsageError);
    CHECK_THROWS_WITH(nn::Attention(options, context), Contains(message));
  };
  refuse({.inputs = kIn, .heads = 0, .width = 3}, "gatv2: expected inputs, a width and 1 to 512 heads, got 5, 3 and 0");
  refuse({.inputs = kIn, .heads = 2}, "got 5, 0 and 2");
  refuse({.inputs = kIn, .width = 3, .edge_features = nn::EdgeFeatures::yes}, "gatv2: edge_features: expected edges");
  refuse({.inputs = kIn, .width = 3, .dropout = 1}, "gatv2: expected a probability");
  refuse({.inputs = kIn, .width = 3, .score = attention::Score::dot_product, .beta = true},
         "dot_product: beta: expected \"residual\" as well");
  CHECK_THROWS_AS(nn::Dropout({.probability = -0.1F}, context), UsageError);
  CHECK_THROWS_WITH(nn::Linear({.inputs = kIn, .width = -1}, context), Contains("layer.weight: expected sizes"));
}

TEST_CASE("the page about models mentions every field of every block", "[nn][layers][models_page]") {
  std::ifstream in(std::string(EDGEWISE_SOURCE_DIR) + "/docs/models.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto section = [&](const std::string& type) {
    const std::size_t begin = page.find("### " + type + "\n");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find("\n###", begin + 4) - begin);
  };
  // Blocks with attention share most members with gat or gatv2.
  const std::map<std::string, std::string> as = {{"gatv2", "gat"}, {"bahdanau", "gatv2"}, {"dot_product", "gat"}};
  for (const std::string& type : nn::block_types())
    for (const json::FieldDoc& field : nn::block_fields(type)) {
      CAPTURE(type, field.name);
      std::string text = section(type);
      for (auto other = as.find(type); other != as.end(); other = as.find(other->second))
        text += section(other->second);
      CHECK(text.find(fmt::format("`{}`", field.name)) != std::string::npos);
      CHECK_FALSE(field.doc.empty());
    }
}
