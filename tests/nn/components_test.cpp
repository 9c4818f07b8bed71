#include "edgewise/nn/components.hpp"

#include <catch2/catch.hpp>

#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;

namespace {

/// Two graphs of two parts each: of 2 and 1, and of 0 and 3 nodes.
struct TwoParts {
  graph::FrozenGraph graphs = graph::readout_mask(std::vector<graph::Node>{0, 3, 6});
  graph::FrozenGraph parts = graph::readout_mask(std::vector<graph::Node>{0, 2, 3, 3, 6});
  Matrix x = test::random_matrix(6, 3, 1), weights = Matrix(4, 1);

  TwoParts() { weights << 0.25F, 0.75F, 0, 1; }

  Matrix run(nn::Model& model) const {
    autograd::Tape tape;
    nn::ForwardContext context = context_of(tape);
    return model.forward(context, {.dense = tape.constant(x)}).value();
  }
  nn::ForwardContext context_of(autograd::Tape& tape) const {
    nn::ForwardContext context{.tape = tape, .masks = {{"readout", &graphs}, {"components", &parts}}};
    context.node_sets["components"] = {.dense = tape.constant(weights)};
    return context;
  }
};

nn::Model parts_model(const std::string& blocks, int outputs, bool has_parts = true) {
  nn::ModelShape shape{.inputs = 3, .outputs = outputs};
  if (has_parts) shape.node_sets = {{"components", 1}};
  return {json::parse(R"({"blocks": )" + blocks + "}", "test"), shape, 3};
}

constexpr const char* kPartsBeside = R"([{"type": "components", "blocks": [{"type": "readout", "kind": "sum"}]}])";
constexpr const char* kPartsSummed =
    R"([{"type": "components", "count": 2, "sum": true, "blocks": [{"type": "readout", "kind": "sum"}]}])";

}  // namespace

TEST_CASE("parts of graphs are read out one by one, and weighted", "[nn][components]") {
  const TwoParts of;
  Matrix expected = Matrix::Zero(2, 6);
  expected.row(0).head(3) = 0.25F * (of.x.row(0) + of.x.row(1));
  expected.row(0).tail(3) = 0.75F * of.x.row(2);
  expected.row(1).tail(3) = of.x.row(3) + of.x.row(4) + of.x.row(5);
  nn::Model beside = parts_model(kPartsBeside, 6), sum = parts_model(kPartsSummed, 3);
  CHECK(beside.is_graph_level());
  CHECK(of.run(beside).isApprox(expected, 1e-6F));
  CHECK(of.run(sum).isApprox(expected.leftCols(3) + expected.rightCols(3), 1e-6F));
}

TEST_CASE("gradients of parts of graphs match central differences", "[nn][components]") {
  const TwoParts of;
  for (const char* combine : {"false", "true"}) {
    nn::Model model = parts_model(std::string(R"([{"type": "linear", "width": 4}, {"type": "components", "sum": )") +
                                   combine +
                                   R"(, "blocks": [{"type": "attention_readout", "heads": 2}, {"type": "layer_norm"}]},
                                   {"type": "linear", "width": "outputs"}])",
                               2);
    test::check_gradients(model.parameters(), of.x, [&](autograd::Tape& tape, std::span<const Variable> v) {
      nn::ForwardContext context = of.context_of(tape);
      return model.forward(context, {.dense = v[0]});
    });
  }
}

TEST_CASE("presets read out the parts of graphs if asked", "[nn][components]") {
  const TwoParts of;
  const nn::ModelShape shape{.inputs = 3, .outputs = 1, .node_sets = {{"components", 1}}};
  for (const char* readout : {"sum_mean_max", "attention", "query", "set2set"}) {
    json::Value config = json::parse(R"({"preset": "mlp", "hidden": 4, "components": 2, "symmetric": true})", "test");
    config.set("readout", readout);
    nn::Model model(config, shape, 1);
    CHECK(of.run(model).rows() == 2);
  }
}

TEST_CASE("blocks that do not suit parts of graphs are refused", "[nn][components]") {
  CHECK_THROWS_WITH(parts_model(kPartsSummed, 3, false), Contains("expected graphs of several parts"));
  CHECK_THROWS_WITH(parts_model(R"([{"type": "components", "blocks": [{"type": "linear", "width": 3}]}])", 3),
                    Contains("expected a readout among them"));
  CHECK_THROWS_WITH(parts_model(R"([{"type": "components", "count": 0, "blocks": []}])", 3), Contains("count"));
  CHECK_THROWS_WITH(nn::expand_model(json::parse(R"({"preset": "mlp", "components": 2})", "test")),
                    Contains("expected a \"readout\" as well"));
  TwoParts of;
  nn::Model three = parts_model(
      R"([{"type": "components", "count": 3, "blocks": [{"type": "readout", "kind": "sum"}]}])", 9);
  CHECK_THROWS_WITH(of.run(three), Contains("expected 3 parts of each of 2 graphs"));
}
