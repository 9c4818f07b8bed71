// Graphs of several parts with encoders of their own and attention across the parts, compared with PyTorch.
#include "edgewise/nn/part_encoders.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/cross.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;
using test::check_near;
using test::matrix;

namespace {

/// The graphs of parts.safetensors.
struct GoldenParts {
  io::Safetensors file = test::golden("parts");
  graph::FrozenGraph edges = test::golden_graph(file), cross, parts, graphs;
  Matrix weights = matrix(file, "weights");

  GoldenParts() {
    std::vector<graph::Node> offsets = {0}, of_graphs = {0};
    for (const float size : file.find("sizes")->values) {
      offsets.push_back(offsets.back() + static_cast<graph::Node>(size));
      if (offsets.size() % 2 == 1) of_graphs.push_back(offsets.back());
    }
    cross = graph::cross_mask(offsets, 2);
    parts = graph::readout_mask(offsets);
    graphs = graph::readout_mask(of_graphs);
  }

  nn::Model model(const json::Value& config) const {
    return {config, {.inputs = 3, .outputs = 2, .node_sets = {{nn::kComponents, 1}}}, 1};
  }
  nn::ForwardContext context(autograd::Tape& tape) const {
    nn::ForwardContext context{
        .tape = tape,
        .masks = {{"edges", &edges}, {"cross", &cross}, {nn::kComponents, &parts}, {"readout", &graphs}}};
    context.node_sets[nn::kComponents] = {.dense = tape.constant(weights)};
    return context;
  }
};

}  // namespace

TEST_CASE("encoders of parts and attention across them give PyTorch's values and gradients",
          "[nn][components][golden]") {
  const GoldenParts golden;
  nn::Model model = golden.model(json::parse(*golden.file.find_metadata("model"), "parts"));
  for (autograd::Parameter* parameter : model.parameters()) parameter->value = matrix(golden.file, parameter->name);
  autograd::Parameter x("x", matrix(golden.file, "x"));
  autograd::Tape tape;
  nn::ForwardContext context = golden.context(tape);
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), matrix(golden.file, "y"));
  tape.backward(test::weighted_sum(output, matrix(golden.file, "r")));
  check_near("grad.x", x.gradient, matrix(golden.file, "grad.x"));
  for (const autograd::Parameter* parameter : model.parameters())
    check_near(parameter->name, parameter->gradient, matrix(golden.file, "grad." + parameter->name));
}

TEST_CASE("gradients of encoders of parts match central differences", "[nn][components]") {
  const GoldenParts golden;
  const json::Value config = json::parse(
      R"({"preset": "gatv2", "hidden": 4, "heads": 2, "dropout": 0, "layers": 1, "readout": "mean", "components": 2,
          "own_encoders": true, "cross": true})",
      "test");
  nn::Model model = golden.model(config);
  const auto run = [&](autograd::Tape& tape, std::span<const Variable> v) {
    nn::ForwardContext context = golden.context(tape);
    return model.forward(context, {.dense = v[0]});
  };
  test::check_gradients(model.parameters(), matrix(golden.file, "x"), run);
}

TEST_CASE("encoders of parts record the attention of each node's own encoder", "[nn][components]") {
  const GoldenParts golden;
  const json::Value encoder = json::parse(R"({"type": "gatv2", "heads": 2, "width": 2})", "test");
  const json::Value readout =
      json::parse(R"({"type": "components", "blocks": [{"type": "readout", "kind": "sum"}]})", "test");
  nn::Model own = golden.model(json::Object{
      {"blocks", json::Array{json::Object{{"type", "part_encoders"}, {"blocks", json::Array{encoder}}}, readout}}});
  std::vector<nn::AttentionRecord> merged;
  const auto run = [&](nn::Model& model, std::vector<nn::AttentionRecord>& records) {
    autograd::Tape tape;
    nn::ForwardContext context = golden.context(tape);
    context.attention = &records;
    model.forward(context, {.dense = tape.constant(matrix(golden.file, "x"))});
  };
  run(own, merged);
  REQUIRE(merged.size() == 1);
  nn::Model one = golden.model(json::Object{{"blocks", json::Array{encoder, readout}}});
  const std::size_t count = one.parameters().size();
  for (std::size_t part = 0; part < 2; ++part) {
    for (std::size_t i = 0; i < count; ++i) one.parameters()[i]->value = own.parameters()[part * count + i]->value;
    std::vector<nn::AttentionRecord> alone;
    run(one, alone);
    const graph::Csr &slots = golden.edges.incoming, &nodes = golden.parts.incoming;
    for (std::size_t row = part; row < golden.parts.destination_count(); row += 2)
      for (graph::EdgeIndex node = nodes.offsets[row]; node < nodes.offsets[row + 1]; ++node)
        for (graph::EdgeIndex slot = slots.offsets[node]; slot < slots.offsets[node + 1]; ++slot)
          CHECK(merged[0].weights.row(static_cast<Eigen::Index>(slot)) ==
                alone[0].weights.row(static_cast<Eigen::Index>(slot)));
  }
}

TEST_CASE("own encoders and attention across parts are for several parts", "[nn][components]") {
  const auto refused = [](const std::string& members, const std::string& message) {
    const std::string text = R"({"preset": "gatv2", "readout": "mean", )" + members + "}";
    CHECK_THROWS_WITH(nn::expand_model(json::parse(text, "test")), Contains(message));
  };
  refused(R"("own_encoders": true)", "own_encoders: expected several \"components\" as well");
  refused(R"("cross": true)", "cross: expected several \"components\" as well");
  refused(R"("components": 2, "symmetric": true, "own_encoders": true)", "expected no \"symmetric\" beside it");
  const json::Value readout =
      json::parse(R"({"blocks": [{"type": "part_encoders", "blocks": [{"type": "readout", "kind": "sum"}]}]})", "test");
  CHECK_THROWS_WITH(GoldenParts().model(readout), Contains("expected no readout among them"));
  CHECK_THROWS_WITH(nn::Model(readout, {.inputs = 3, .outputs = 1}, 1), Contains("expected graphs of several parts"));
}
