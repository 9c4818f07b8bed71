// Tests common to all blocks: gradients of input and parameters, sparse input, nodes with nothing to attend to.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/symmetric_weights.hpp"
#include "support/node_graph.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;

namespace {

constexpr int kInputs = 5;

/// One block of each type, and of each option that takes a different code path.
const std::vector<std::string> kBlocks = {
    R"({"type": "linear", "width": 4})",
    R"({"type": "linear", "width": 4, "bias": false})",
    R"({"type": "layer_norm"})",
    R"({"type": "batch_norm"})",
    R"({"type": "activation", "function": "gelu"})",
    R"({"type": "dropout", "probability": 0.4})",
    R"({"type": "feed_forward", "hidden": 6, "dropout": 0.3, "width": 4})",
    R"({"type": "gat", "width": 2, "heads": 3})",
    R"({"type": "gat", "width": 2, "heads": 3, "dropout": 0.3, "dropout_per_head": true, "attention_dropout": 0.3,
        "feature_dropout": 0.3, "score_bias": true, "residual": true, "activation": "elu", "edge_features": true})",
    R"({"type": "gat", "width": 5, "heads": 2, "merge": "mean", "residual": true, "bias": false, "dropout": 0.2})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "dropout": 0.2, "attention_dropout": 0.3, "feature_dropout": 0.3,
        "residual": "projection", "activation": "tanh", "edge_features": true})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "edge_value": true, "attention_dropout": 0.3})",
    R"({"type": "gatv2", "width": 3, "heads": 2, "merge": "mean", "share_weights": true, "projection_bias": false})",
    R"({"type": "dot_product", "width": 2, "heads": 3, "attention_dropout": 0.3, "output_projection": true,
        "residual": true, "beta": true, "edge_features": true})",
    R"({"type": "dot_product", "width": 3, "heads": 2, "merge": "mean", "bias": false})",
    R"({"type": "dot_product", "width": 2, "heads": 3, "edge_mode": "bias"})",
    R"({"type": "dot_product", "width": 2, "heads": 3, "relations": 1, "attention_dropout": 0.3, "residual": true,
        "edge_features": true})",
    R"({"type": "dot_product", "width": 3, "heads": 2, "relations": 2, "merge": "mean", "bias": false})",
    R"({"type": "rgcn", "width": 4, "relations": 2})",
    R"({"type": "rgcn", "width": 4, "relations": 1, "bases": 2, "aggregate": "sum", "edge_features": true})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "relations": 2, "merge": "mean", "share_weights": true})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "relations": 1, "dropout": 0.2, "attention_dropout": 0.3,
        "feature_dropout": 0.3, "residual": "projection", "activation": "tanh", "edge_features": true,
        "edge_value": true})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "mask": "relation:1"})",
    R"({"type": "gatv2", "width": 2, "heads": 2, "mask": "relation_of:1x1", "edge_features": true})",
    R"({"type": "gcn", "width": 4, "residual": true, "edge_weights": true, "activation": "sigmoid"})",
    R"({"type": "gcn2", "layers": 3, "edge_weights": true})",
    R"({"type": "sage", "width": 4, "dropout": 0.2})",
    R"({"type": "appnp", "steps": 3, "restart": 0.2, "dropout": 0.3, "edge_weights": true})",
    R"({"type": "convolution", "width": 4, "mask": "edges", "dropout": 0.3})",
    R"({"type": "convolution", "width": 4, "mask": "edges", "bias": false})",
    R"({"type": "residual", "blocks": [{"type": "layer_norm"}, {"type": "gat", "width": 5}]})",
    R"({"type": "residual", "blocks": [{"type": "linear", "width": 3}]})",
    R"({"type": "concat_self", "block": {"type": "gatv2", "width": 3}})",
    R"({"type": "parallel", "branches": [[{"type": "gat", "width": 3}], [{"type": "linear", "width": 3}]]})",
};

/// Edge features are positive, like weights.
graph::FrozenGraph mask() {
  graph::FrozenGraph frozen = graph::freeze(test::small_graph(2), {.self_loops = graph::AddSelfLoops::no});
  frozen.edge_features = frozen.edge_features.cwiseAbs().array() + 0.1F;
  return frozen;
}

struct Built {
  std::unique_ptr<nn::Block> block;
  int width;
};

Built build(const std::string& text) {
  nn::BuildContext context{
      .shape = {.inputs = kInputs, .outputs = 3, .edge_features = 2}, .width = kInputs, .name = "blocks.0", .seed = 3};
  Built built;
  built.block = nn::make_block(json::parse(text, "test"), context);
  built.width = context.width;
  return built;
}

std::vector<autograd::Parameter*> parameters_of(nn::Block& block) {
  std::vector<autograd::Parameter*> parameters;
  block.collect_parameters(parameters);
  return parameters;
}

}  // namespace

TEST_CASE("gradients of blocks match central differences", "[nn][blocks]") {
  const graph::FrozenGraph graph = mask();
  for (const std::string& text : kBlocks) {
    INFO(text);
    const Built built = build(text);
    const auto parameters = parameters_of(*built.block);
    // Biases start at zero, which hides mistakes.
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i]->value += 0.3F * test::random_matrix(parameters[i]->value.rows(), parameters[i]->value.cols(), i);
    }
    const auto forward = [&](autograd::Tape& tape, std::span<const Variable> v) {
      nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .is_training = true, .seed = 1, .step = 4};
      return built.block->forward(context, {.dense = v[0]}).dense;
    };
    test::check_gradients(parameters, test::random_matrix(6, kInputs, 5), forward);
  }
}

TEST_CASE("frozen parameters get no gradient, and the others the same as without them", "[nn][blocks]") {
  const graph::FrozenGraph graph = mask();
  const Matrix x = test::random_matrix(6, kInputs, 5);
  for (const std::string& text : kBlocks) {
    const Built built = build(text);
    const auto parameters = parameters_of(*built.block);
    const auto gradients = [&] {
      for (autograd::Parameter* parameter : parameters) parameter->gradient.setZero();
      autograd::Tape tape;
      nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .is_training = true, .seed = 1, .step = 4};
      const Variable y = built.block->forward(context, {.dense = tape.constant(x)}).dense;
      const Matrix weights = test::random_matrix(y.rows(), y.cols(), 9);
      tape.backward(test::weighted_sum(y, weights));
      std::vector<Matrix> found;
      for (const autograd::Parameter* parameter : parameters) found.push_back(parameter->gradient);
      return found;
    };
    if (text.find("batch_norm") != std::string::npos) continue;  // its moments are frozen with its gain
    const std::vector<Matrix> all = gradients();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      INFO(text << "\n" << parameters[i]->name);
      for (std::size_t j = 0; j < parameters.size(); ++j) parameters[j]->is_frozen = j != i;
      const std::vector<Matrix> one = gradients();
      for (std::size_t j = 0; j < parameters.size(); ++j)
        if (j != i) CHECK(one[j].isZero(0));
      CHECK((one[i] - all[i]).cwiseAbs().maxCoeff() <= 1e-5F * (1 + all[i].cwiseAbs().maxCoeff()));
    }
  }
}

TEST_CASE("a frozen batch norm keeps its moments, and uses them", "[nn][blocks]") {
  const Built built = build(R"({"type": "batch_norm"})");
  std::vector<std::pair<std::string, Matrix*>> state;
  built.block->collect_state(state);
  for (autograd::Parameter* parameter : parameters_of(*built.block)) parameter->is_frozen = true;
  const Matrix before = *state[0].second, x = test::random_matrix(6, kInputs, 5);
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .is_training = true};
  const Matrix y = autograd::Variable(built.block->forward(context, {.dense = tape.constant(x)}).dense).value();
  CHECK(*state[0].second == before);
  CHECK((y - x).cwiseAbs().maxCoeff() < 1e-4F);  // mean 0, variance 1
}

TEST_CASE("blocks give the same for sparse and dense input", "[nn][blocks]") {
  const graph::FrozenGraph graph = mask();
  Matrix dense = test::random_matrix(6, kInputs, 5);
  dense = (dense.array() > 0).select(dense, 0);
  const SparseMatrix sparse = dense.sparseView();
  const autograd::SparseInput input(sparse);
  for (const std::string& text : kBlocks) {
    INFO(text);
    const Built built = build(text);
    autograd::Tape tape;
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}};
    const Variable expected = built.block->forward(context, {.dense = tape.constant(dense)}).dense;
    nn::NodeRows signal;
    signal.sparse.input = &input;
    nn::NodeRows found;
    try {
      found = built.block->forward(context, signal);
    } catch (const UsageError& error) {
      CHECK_THAT(error.what(), Contains("blocks.0") && Contains("expected a dense input"));
      continue;
    }
    if (found.sparse.is_set()) continue;  // dropout
    CHECK((autograd::Variable(found.dense).value() - expected.value()).cwiseAbs().maxCoeff() < 1e-5F);
  }
}

TEST_CASE("blocks stay finite with nothing to attend to", "[nn][blocks]") {
  const graph::FrozenGraph no_edges = graph::freeze(test::node_graph(6, {}, 2));
  const graph::FrozenGraph no_nodes = graph::freeze(test::node_graph(0, {}, 2));
  for (const graph::FrozenGraph* graph : {&no_edges, &no_nodes}) {
    for (const std::string& text : kBlocks) {
      INFO(text);
      const Built built = build(text);
      autograd::Tape tape;
      autograd::Parameter x("x",
                            test::random_matrix(static_cast<Eigen::Index>(graph->destination_count()), kInputs, 5));
      nn::ForwardContext context{.tape = tape, .masks = {{"edges", graph}}, .is_training = true};
      const Variable y = built.block->forward(context, {.dense = tape.parameter(x)}).dense;
      const Matrix weights = Matrix::Ones(y.rows(), y.cols());
      tape.backward(test::weighted_sum(y, weights));
      CHECK(y.value().allFinite());
      CHECK(x.gradient.allFinite());
      for (const autograd::Parameter* parameter : parameters_of(*built.block)) CHECK(parameter->gradient.allFinite());
    }
  }
}

TEST_CASE("gcn and mean, by hand", "[nn][blocks][gcn][mean]") {
  const graph::FrozenGraph graph =
      graph::freeze(test::node_graph(3, {{0, 1}, {2, 1}}), {.self_loops = graph::AddSelfLoops::yes});
  Matrix x(3, 1);
  x << 1, 10, 100;
  const auto run = [&](const std::string& text) {
    nn::BuildContext build_context{.shape = {.inputs = 1, .outputs = 1}, .width = 1, .name = "b"};
    const auto block = nn::make_block(json::parse(text, "test"), build_context);
    for (autograd::Parameter* parameter : parameters_of(*block)) parameter->value.setOnes();
    autograd::Tape tape;
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}};
    return Matrix(autograd::Variable(block->forward(context, {.dense = tape.constant(x)}).dense).value());
  };
  const Matrix gcn = run(R"({"type": "gcn", "width": 1, "bias": false})");
  CHECK(gcn(0, 0) == Approx(1));  // only itself, degree 1
  CHECK(gcn(1, 0) == Approx(10 / 3.0 + (1 + 100) / std::sqrt(3.0)));
  const Matrix mean = run(R"({"type": "sage", "width": 1, "bias": false})");
  CHECK(mean(1, 0) == Approx(111 / 3.0 + 10));
}

TEST_CASE("attention across relations is one softmax, recorded by the edges of the graph", "[nn][blocks]") {
  graph::FrozenGraph graph = mask();
  for (Eigen::Index slot = 0; slot < graph.edge_features.rows(); ++slot)
    graph.edge_features.row(slot) << static_cast<float>(slot % 2), static_cast<float>(1 - slot % 2);
  const Built built = build(R"({"type": "dot_product", "width": 3, "heads": 2, "relations": 2})");
  autograd::Tape tape;
  std::vector<nn::AttentionRecord> records;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .attention = &records};
  const Matrix x = test::random_matrix(6, kInputs, 5);
  built.block->forward(context, {.dense = tape.constant(x)});
  REQUIRE(records.size() == 1);
  REQUIRE(records[0].weights.rows() == static_cast<Eigen::Index>(graph.slot_count()));
  for (std::size_t v = 0; v < graph.destination_count(); ++v) {
    const auto first = static_cast<Eigen::Index>(graph.incoming.offsets[v]);
    const auto count = static_cast<Eigen::Index>(graph.incoming.offsets[v + 1]) - first;
    if (count == 0) continue;
    CHECK(records[0].weights.middleRows(first, count).minCoeff() > 0);
    for (int head = 0; head < 2; ++head)
      CHECK(records[0].weights.col(head).segment(first, count).sum() == Approx(1));
  }
}

TEST_CASE("a gatv2 of each relation gives the sum of layers along the relations", "[nn][blocks][gatv2]") {
  graph::FrozenGraph graph = mask();
  for (Eigen::Index slot = 0; slot < graph.edge_features.rows(); ++slot)  // the last third are of none
    graph.edge_features.row(slot) << static_cast<float>(slot % 3 == 0), static_cast<float>(slot % 3 == 1);
  const Matrix x = test::random_matrix(6, kInputs, 5);
  autograd::Tape tape;
  std::vector<nn::AttentionRecord> records;
  const auto run = [&](const Built& built) {
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .attention = &records};
    return Matrix(autograd::Variable(built.block->forward(context, {.dense = tape.constant(x)}).dense).value());
  };
  const Built both = build(R"({"type": "gatv2", "width": 3, "heads": 2, "relations": 2})");
  const Matrix found = run(both);
  const std::vector<autograd::Parameter*> weights = parameters_of(*both.block);
  Matrix expected = Matrix::Zero(6, 6);
  for (const int relation : {1, 2}) {
    const Built one =
        build(fmt::format(R"({{"type": "gatv2", "width": 3, "heads": 2, "mask": "relation:{}"}})", relation));
    for (autograd::Parameter* parameter : parameters_of(*one.block)) {
      const std::string name = fmt::format("blocks.0.relations.{}.{}", relation, parameter->name.substr(9));
      const auto same = std::ranges::find(weights, name, &autograd::Parameter::name);
      if (same != weights.end()) parameter->value = (*same)->value;  // all but the bias, which is 0
    }
    expected += run(one);
  }
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-5F);
  REQUIRE(records.size() == 4);
  for (const int relation : {0, 1}) {
    CHECK(records[relation].mask == fmt::format("relation:{}", relation + 1));
    CHECK((records[relation].weights - records[relation + 2].weights).cwiseAbs().maxCoeff() < 1e-6F);
  }
}

TEST_CASE("symmetric weights refuse a mask between two node sets", "[nn][blocks][gcn]") {
  const graph::FrozenGraph between = graph::freeze(graph::Csr{.offsets = {0, 2, 3}, .columns = {1, 4, 0}}, 5);
  autograd::Tape tape;
  CHECK_THROWS_AS(nn::symmetric_weights(tape, {between}, false), UsageError);
}

TEST_CASE("gat drops the input of each head with its own mask", "[nn][blocks][gat]") {
  const graph::FrozenGraph graph = graph::freeze(test::small_graph(2));
  const Matrix x = Matrix::Ones(6, kInputs);
  const auto run = [&](bool per_head) {
    const Built built =
        build(per_head ? R"({"type": "gat", "width": 1, "heads": 2, "dropout": 0.5, "dropout_per_head": true})"
                       : R"({"type": "gat", "width": 1, "heads": 2, "dropout": 0.5})");
    // Both heads have equal weights: they differ only by what was dropped.
    for (autograd::Parameter* parameter : parameters_of(*built.block)) parameter->value.setConstant(0.5F);
    autograd::Tape tape;
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}, .is_training = true, .seed = 2};
    const Matrix y = autograd::Variable(built.block->forward(context, {.dense = tape.constant(x)}).dense).value();
    return (y.col(0) - y.col(1)).cwiseAbs().maxCoeff();
  };
  CHECK(run(false) == 0);
  CHECK(run(true) > 0.1F);
}

TEST_CASE("blocks refuse unknown options by name", "[nn][blocks]") {
  const auto check = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    CHECK_THROWS_AS(build(text), UsageError);
    CHECK_THROWS_WITH(build(text), Contains(message));
  };
  check(R"({"type": "gta", "width": 3})", R"(test: type: expected one of activation, appnp)");
  check(R"({"width": 3})", R"("type" is missing)");
  check(R"({"type": "gat"})", R"("width" is missing)");
  check(R"({"type": "gat", "width": 0})", "width: expected a width from 1");
  check(R"({"type": "gat", "width": "out"})", "width: expected a width from 1");
  check(R"({"type": "gat", "width": 3, "heads": 0})", "heads: expected an integer from 1 to 512, got 0");
  check(R"({"type": "gat", "width": 1000000, "heads": 100})", "heads: expected heads * width");
  check(R"({"type": "gat", "width": 1, "heads": 513})", "heads: expected an integer from 1 to 512, got 513");
  check(R"({"type": "gat", "width": 3, "dropout": 1})", "dropout: expected a probability of at least 0 and below 1");
  check(R"({"type": "gat", "width": 3, "dropout": -0.1})", "dropout: expected a probability");
  check(R"({"type": "gat", "width": 3, "merge": "max"})", R"(merge: expected one of concat, mean, got "max")");
  check(R"({"type": "gat", "width": 3, "residual": "yes"})", "residual: expected true, false or");
  check(R"({"type": "gat", "width": 3, "edge_features": 3})", "edge_features: expected true, false or");
  check(R"({"type": "gat", "width": 3, "head": 3})", R"(unknown member "head")");
  check(R"({"type": "gat", "width": 3, "activation": "swish"})", "activation: expected one of");
  check(R"({"type": "dot_product", "width": 3, "beta": true})", "beta: expected \"residual\" as well");
  check(R"({"type": "layer_norm", "epsilon": 0})", "epsilon: expected a number above 0");
  check(R"({"type": "layer_norm", "epsilon": 1e-60})", "epsilon: expected a number above 0");
  check(R"({"type": "layer_norm", "epsilon": 1e39})", "epsilon: expected a number within the range of floats");
  check(R"({"type": "dropout", "probability": 0.99999999999})", "probability: expected a probability");
  check(R"({"type": "gat", "width": 2, "negative_slope": 1e39})", "negative_slope: expected a number within the range");
  check(R"({"type": "batch_norm", "momentum": 2})", "momentum: expected a number above 0, at most 1");
  check(R"({"type": "activation"})", R"("function" is missing)");
  check(R"({"type": "dropout"})", R"("probability" is missing)");
  check(R"({"type": "residual", "blocks": []})", "blocks: expected at least one block");
  check(R"({"type": "residual", "blocks": [{"type": "linear", "width": -1}]})", "blocks[0].width");
  check(R"({"type": "concat_self", "block": {"type": "linear"}})", "block: ");
}
