#include "edgewise/nn/model.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/presets.hpp"
#include "support/node_graph.hpp"
#include "support/presets.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;

namespace {

json::Value preset(const std::string& name) { return json::parse("{\"preset\": \"" + name + "\"}", "test"); }

const nn::ModelShape kShape{.inputs = 9, .outputs = 3, .edge_features = 2};

struct Step {
  Matrix logits;
  std::vector<Matrix> gradients;
};

/// A forward pass and, in training, a backward pass.
Step run_step(nn::Model& model, autograd::Tape& tape, const graph::FrozenGraph& graph, const Matrix& x,
              bool is_training, std::uint64_t step = 0) {
  static const std::vector<std::uint32_t> nodes = {0, 1, 2, 3, 5};
  std::vector<std::int32_t> classes(static_cast<std::size_t>(x.rows()));
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::int32_t>(i % 3);
  tape.reset(is_training);
  for (autograd::Parameter* parameter : model.parameters()) parameter->gradient.setZero();
  nn::ForwardContext context{
      .tape = tape, .masks = {{"edges", &graph}}, .is_training = is_training, .seed = 7, .step = step};
  const auto node_count = static_cast<graph::Node>(x.rows());
  const std::vector<graph::Node> offsets = {0, node_count};
  std::map<std::string, graph::FrozenGraph> masks;
  for (const nn::MaskShape& mask : model.masks())
    if (mask.name != "edges")
      masks.emplace(mask.name, graph::parse_mask(mask.name).build({.edges = graph, .offsets = offsets}));
  for (const auto& [name, mask] : masks) context.masks[name] = &mask;
  const Variable logits = model.forward(context, {.dense = tape.constant(x)});
  const Variable loss = autograd::cross_entropy(logits, classes, nodes);
  if (tape.is_recording()) tape.backward(loss);
  Step result{logits.value(), {}};
  for (const autograd::Parameter* parameter : model.parameters()) result.gradients.push_back(parameter->gradient);
  return result;
}

}  // namespace

TEST_CASE("the storage of rows, which is always float32 now, is refused in one line", "[nn][model][presets]") {
  for (const char* name : {"gat", "gps", "transformer_pair", "gcn"}) {
    json::Value config = preset(name);
    config.set("storage", "bfloat16");
    CHECK_THROWS_WITH(nn::Model(config, kShape, 5), Contains("storage: rows are always float32 now"));
  }
  const json::Value blocks = json::parse(
      R"({"blocks": [{"type": "gat", "width": "outputs", "storage": "float32"}]})", "model");
  CHECK_THROWS_WITH(nn::Model(blocks, kShape, 5),
                    "model: blocks[0].storage: rows are always float32 now; leave this member out");
}

TEST_CASE("the expanded configuration of every preset makes an equal model", "[nn][model][presets]") {
  const Matrix x = test::random_matrix(6, kShape.inputs, 1);
  for (const std::string& name : test::presets_of_nodes()) {
    INFO(name);
    nn::Model model(preset(name), kShape, 5);
    nn::Model again(json::parse(json::dump(model.config()), "again"), kShape, 5);
    CHECK(model.config() == again.config());
    REQUIRE(model.parameters().size() == again.parameters().size());
    std::set<std::string> names;
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      CHECK(model.parameters()[i]->name == again.parameters()[i]->name);
      CHECK(model.parameters()[i]->value == again.parameters()[i]->value);
      CHECK(names.insert(model.parameters()[i]->name).second);
    }
    CHECK(nn::graph_options_of(preset(name)).self_loops == model.graph_options().self_loops);
    CHECK(model.parameter_count() > 0);

    const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
    autograd::Tape tape;
    const Step step = run_step(model, tape, graph, x, true);
    CHECK(step.logits.cols() == kShape.outputs);
    CHECK(step.logits.allFinite());
    for (const Matrix& gradient : step.gradients) CHECK(gradient.allFinite());
    CHECK(run_step(again, tape, graph, x, true).logits == step.logits);
  }
}

TEST_CASE("another seed gives other weights", "[nn][model]") {
  nn::Model a(preset("gat"), kShape, 1), b(preset("gat"), kShape, 2);
  CHECK(a.parameters()[0]->value != b.parameters()[0]->value);
}

TEST_CASE("training steps after the first allocate nothing, even between evaluations", "[nn][model]") {
  const Matrix x = test::random_matrix(6, kShape.inputs, 1);
  for (const std::string& name : test::presets_of_nodes()) {
    INFO(name);
    nn::Model model(preset(name), kShape, 5);
    const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
    autograd::Tape tape;
    run_step(model, tape, graph, x, true);
    run_step(model, tape, graph, x, false);
    const std::size_t before = tape.allocations();
    for (std::uint64_t step = 1; step < 4; ++step) {
      run_step(model, tape, graph, x, true, step);
      run_step(model, tape, graph, x, false, step);
    }
    CHECK(tape.allocations() == before);
  }
}

TEST_CASE("a model has the same bits at any number of threads", "[nn][model]") {
  // Large enough to be split into several pieces of work.
  graph::EdgeList edges;
  Random random(3, Stream::generate);
  for (int e = 0; e < 9000; ++e) {
    edges.sources.push_back(static_cast<graph::Node>(random.below(1500)));
    edges.targets.push_back(static_cast<graph::Node>(random.below(1500)));
  }
  const graph::Graph graph(graph::NodeNames::numbered(1500), std::move(edges));
  const nn::ModelShape shape{.inputs = 20, .outputs = 3};
  const Matrix x = test::random_matrix(1500, 20, 1);
  const int before = threads();
  for (const char* name : {"gat", "gatv2_sep", "transformer", "gcn"}) {
    INFO(name);
    std::vector<Step> steps;
    for (const int count : {1, 3}) {
      set_threads(count);
      nn::Model model(preset(name), shape, 5);
      autograd::Tape tape;
      steps.push_back(run_step(model, tape, graph::freeze(graph, model.graph_options()), x, true));
    }
    set_threads(before);
    CHECK(steps[0].logits == steps[1].logits);
    CHECK(steps[0].gradients == steps[1].gradients);
  }
}

TEST_CASE("a model draws new dropout masks in each step and none in evaluation", "[nn][model]") {
  nn::Model model(preset("gat"), kShape, 5);
  const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
  const Matrix x = test::random_matrix(6, kShape.inputs, 1);
  autograd::Tape tape;
  const Matrix first = run_step(model, tape, graph, x, true, 1).logits;
  CHECK(run_step(model, tape, graph, x, true, 1).logits == first);
  CHECK(run_step(model, tape, graph, x, true, 2).logits != first);
  CHECK(run_step(model, tape, graph, x, false, 1).logits == run_step(model, tape, graph, x, false, 2).logits);
}

TEST_CASE("a model takes sparse features", "[nn][model]") {
  nn::Model model(preset("gat"), kShape, 5);
  const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
  const Matrix x = test::random_matrix(6, kShape.inputs, 1);
  const SparseMatrix sparse = x.sparseView();
  const autograd::SparseInput input(sparse);
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}};
  nn::NodeRows signal;
  signal.sparse.input = &input;
  const Matrix found = model.forward(context, signal).value();
  const Matrix expected = model.forward(context, {.dense = tape.constant(x)}).value();
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-5F);
}

TEST_CASE("a model records its attention weights on request", "[nn][model]") {
  nn::Model model(preset("gat_sep"), kShape, 5);
  const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
  const Matrix x = test::random_matrix(6, kShape.inputs, 1);
  autograd::Tape tape;
  std::vector<nn::AttentionRecord> records;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .attention = &records};
  model.forward(context, {.dense = tape.constant(x)});
  REQUIRE(records.size() == 2);
  CHECK(records[0].layer == "blocks.3.blocks.1.block");
  REQUIRE(records[0].weights.rows() == static_cast<Eigen::Index>(graph.slot_count()));
  REQUIRE(records[0].weights.cols() == 8);
  CHECK(records[0].weights.topRows(4).colwise().sum().isOnes(1e-5F));  // node 0 has four sources
}

TEST_CASE("a model refuses data of another shape", "[nn][model]") {
  nn::Model model(preset("gat"), kShape, 5);
  const graph::FrozenGraph graph = graph::freeze(test::small_graph(2), model.graph_options());
  const graph::FrozenGraph bare = graph::freeze(test::small_graph(), model.graph_options());
  autograd::Tape tape;
  const auto run = [&](const graph::FrozenGraph& mask, Eigen::Index rows, Eigen::Index cols) {
    const Matrix x = Matrix::Zero(rows, cols);
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &mask}}};
    model.forward(context, {.dense = tape.constant(x)});
  };
  CHECK_THROWS_WITH(run(graph, 6, 8), Contains("node features: the model is made for 9, got 8"));
  CHECK_THROWS_WITH(run(graph, 5, 9), Contains("mask \"edges\": made for 6 rows of \"nodes\", but there are 5"));
  autograd::Tape blank(false);
  nn::ForwardContext without{.tape = blank, .masks = {{"edges", nullptr}}};
  const Matrix rows = Matrix::Zero(6, 9);
  CHECK_THROWS_AS(model.forward(without, {.dense = blank.constant(rows)}), ModelError);
  CHECK_THROWS_WITH(run(bare, 6, 9), Contains("edge features of the mask \"edges\": the model is made for 2, got 0"));
}

TEST_CASE("a model refuses a wrong configuration with the name of the member", "[nn][model][presets]") {
  const auto check = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    const auto make = [&] { nn::Model(json::parse(text, "m.json"), {.inputs = 4, .outputs = 3}, 1); };
    CHECK_THROWS_AS(make(), UsageError);
    CHECK_THROWS_WITH(make(), Contains(message) && !Contains("\n"));
  };
  check(R"({})", R"("blocks" is missing)");
  check(R"({"blocks": []})", "m.json: blocks: expected at least one block");
  check(R"({"blocks": {}})", "m.json: blocks: expected an array");
  check(R"({"blocks": [{"type": "linear", "width": "outputs"}], "layers": 3})", R"(unknown member "layers")");
  check(R"({"blocks": [{"type": "linear", "width": 7}]})", "expected the last block to give 3 columns");
  check(R"({"blocks": [{"type": "linear", "width": 7}, {"type": "gat", "width": "outputs", "heads": "8"}]})",
        "m.json: blocks[1].heads: expected an integer");
  check(R"({"graph": {"self_loop": true}, "blocks": [{"type": "linear", "width": "outputs"}]})",
        R"(unknown member "self_loop")");
  check(R"({"graph": {"flow": "up"}, "blocks": [{"type": "linear", "width": "outputs"}]})", "m.json: graph.flow");
  check(R"({"preset": "gta"})", "m.json: preset: expected one of gat, gatv2");
  check(R"({"preset": "gat", "hiden": 3})", R"(unknown member "hiden")");
  check(R"({"preset": "gat", "hidden": 30})", "m.json: hidden: expected a multiple of the 8 heads, got 30");
  check(R"({"preset": "gat", "dropout": 2})", "m.json: dropout: expected a probability");
  check(R"({"preset": "gat", "attention_dropout": 1})", "m.json: attention_dropout: expected a probability");
  check(R"({"preset": "gat", "norm": "group"})", "m.json: norm: expected one of");
  check(R"({"preset": "mlp", "heads": 2})", R"(unknown member "heads")");
  check(R"({"preset": "gat", "graph": {"flow": "up"}})", "graph.flow");
  check(R"({"preset": "transformer", "hidden": 65536, "expansion": 65536})",
        "m.json: expansion: expected at most 1000000");
  check(R"({"preset": "gat", "layers": 1001})", "m.json: layers: expected an integer from 1 to 1000, got 1001");
  check(R"({"preset": "gcn", "edge_weights": true})", "edge_weights: expected edges with features");
}

TEST_CASE("input_norm adds a batch normalisation before any preset", "[nn][model][presets]") {
  for (const std::string& name : test::presets_of_nodes()) {
    INFO(name);
    nn::Model model(json::parse("{\"preset\": \"" + name + "\", \"input_norm\": \"batch\"}", "test"), kShape, 5);
    CHECK(model.config().at("blocks").as_array()[0].at("type").as_string() == "batch_norm");
    CHECK(model.parameters()[0]->value.cols() == kShape.inputs);
  }
}
