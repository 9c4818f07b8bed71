// Graph-level models: readouts compared with PyTorch Geometric, gradients, empty graphs, batches, and refusals.
#include "edgewise/graph/masks/readout.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"
#include "support/node_graph.hpp"
#include "support/ring_batch.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;
using graph::Node;
using test::Batch;
using test::check_gradients;
using test::check_near;
using test::context_of;
using test::kBatchShape;
using test::matrix;
using test::ring_batch;

namespace {

const std::vector<std::string> kReadouts = {
    R"({"type": "readout", "kind": "sum"})",
    R"({"type": "readout", "kind": "mean"})",
    R"({"type": "readout", "kind": "max"})",
    R"({"type": "readout", "kind": "sum_mean_max"})",
    R"({"type": "attention_readout"})",
    R"({"type": "attention_readout", "heads": 5, "hidden": 4, "activation": "tanh", "attention_dropout": 0.3})",
    R"({"type": "attention_readout", "heads": 3, "width": 2})",
    R"({"type": "query_readout", "heads": 2, "width": 3, "attention_dropout": 0.3})",
    R"({"type": "set2set", "steps": 3})",
};

nn::Model model_of(const std::string& blocks, const nn::ModelShape& shape = kBatchShape) {
  return {json::parse(R"({"blocks": )" + blocks + "}", "test"), shape, 3};
}

/// Adds linear maps, so that any readout gives `outputs` columns.
std::string with_head(const std::string& readout) {
  return "[" + readout + R"(, {"type": "linear", "width": "outputs"}])";
}

constexpr const char* kLocalBesideGlobal = R"([
  {"type": "linear", "width": 4},
  {"type": "parallel", "branches": [
    [{"type": "residual", "blocks": [{"type": "gatv2", "width": 2, "heads": 2, "edge_value": true}]}],
    [{"type": "residual", "blocks": [
      {"type": "dot_product", "width": 2, "heads": 2, "mask": "complete", "edge_mode": "bias"}]}]]},
  {"type": "gatv2", "width": 2, "heads": 2, "mask": "complete", "edge_value": true},
  {"type": "gat", "width": 2, "heads": 2, "mask": "complete"},
  {"type": "readout", "kind": "mean"}, {"type": "linear", "width": "outputs"}])";

}  // namespace

TEST_CASE("readouts give the values and gradients of PyTorch Geometric", "[nn][readout][golden]") {
  const std::string name = GENERATE("sum", "mean", "max", "sum_mean_max", "attention", "attention_gated", "query",
                                    "set2set", "gatv2_edge_value");
  INFO(name);
  const io::Safetensors file = test::golden("readout_" + name);
  std::vector<Node> offsets = {0};
  for (const float size : file.find("sizes")->values) offsets.push_back(offsets.back() + static_cast<Node>(size));
  const graph::FrozenGraph readout = graph::readout_mask(offsets);
  const graph::FrozenGraph frozen = test::golden_graph(file);
  const Matrix y = matrix(file, "y"), r = matrix(file, "r");
  autograd::Parameter x("x", matrix(file, "x"));
  nn::Model model(json::parse(*file.find_metadata("model"), name),
                  {.inputs = static_cast<int>(x.value.cols()),
                   .outputs = static_cast<int>(y.cols()),
                   .edge_features = static_cast<int>(frozen.edge_features.cols())},
                  1);
  CHECK(model.is_graph_level());
  for (autograd::Parameter* parameter : model.parameters()) parameter->value = matrix(file, parameter->name);
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}, {"readout", &readout}}};
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), y);
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));
  for (const autograd::Parameter* parameter : model.parameters()) {
    check_near(parameter->name, parameter->gradient, matrix(file, "grad." + parameter->name));
  }
}

TEST_CASE("gradients of readouts match central differences", "[nn][readout]") {
  const Batch batch = ring_batch({3, 0, 1, 6});
  for (const std::string& text : kReadouts) {
    INFO(text);
    nn::Model model = model_of(with_head(text));
    check_gradients(model.parameters(), batch.x, [&](autograd::Tape& tape, std::span<const Variable> v) {
      nn::ForwardContext context = context_of(tape, batch, true);
      return model.forward(context, {.dense = v[0]});
    });
  }
}

TEST_CASE("gradients of parallel local and global attention match central differences", "[nn][readout][parallel]") {
  const Batch batch = ring_batch({3, 0, 1, 6});
  nn::Model model = model_of(kLocalBesideGlobal);
  CHECK(model.uses_mask("complete"));
  check_gradients(model.parameters(), batch.x, [&](autograd::Tape& tape, std::span<const Variable> v) {
    nn::ForwardContext context = context_of(tape, batch, true);
    return model.forward(context, {.dense = v[0]});
  });
}

TEST_CASE("features of graphs are joined to the readout", "[nn][readout][concat_set]") {
  const Batch batch = ring_batch({3, 0, 1, 6});
  const Matrix known = test::random_matrix(4, 3, 5);
  nn::ModelShape shape = kBatchShape;
  shape.node_sets = {{"descriptors", 3}};
  const std::string joined = R"([{"type": "readout", "kind": "mean"}, {"type": "concat_set", "set": "descriptors"})";
  shape.outputs = test::kInputs + 3;
  nn::Model bare = model_of(joined + "]", shape);
  const auto run = [&](nn::Model& model, autograd::Tape& tape, Variable x, const Matrix& descriptors) {
    nn::ForwardContext context = context_of(tape, batch, true);
    context.node_sets["descriptors"] = {.dense = tape.constant(descriptors)};
    return model.forward(context, {.dense = x});
  };
  autograd::Tape tape(false);
  const Matrix rows = run(bare, tape, tape.constant(batch.x), known).value();
  CHECK(rows.rightCols(3) == known);
  CHECK(rows.row(1).head(test::kInputs).isZero());
  CHECK(rows.row(0).head(test::kInputs).isApprox(batch.x.topRows(3).colwise().mean()));
  CHECK_THROWS_AS(run(bare, tape, tape.constant(batch.x), known.topRows(3)), ModelError);
  CHECK_THROWS_AS(run(bare, tape, tape.constant(batch.x), known.leftCols(2)), ModelError);

  shape.outputs = 2;
  nn::Model model = model_of(joined + R"(, {"type": "linear", "width": "outputs"}])", shape);
  check_gradients(model.parameters(), batch.x, [&](autograd::Tape& t, std::span<const Variable> v) {
    return run(model, t, v[0], known);
  });
  CHECK_THROWS_WITH(model_of(joined + "]", kBatchShape), Contains("expected a node set of the data"));
  const std::string from_edges = R"([{"type": "concat_set", "set": "edges"}, {"type": "readout", "kind": "mean"})";
  nn::Model of_edges = model_of(from_edges + R"(, {"type": "linear", "width": "outputs"}])", shape);
  CHECK_THROWS_AS(run(of_edges, tape, tape.constant(batch.x), known), ModelError);
  const auto preset = [](const char* readout) {
    return json::parse(std::string(R"({"preset": "gatv2", "descriptors": true)") + readout + "}", "test");
  };
  CHECK(nn::Model(preset(R"(, "readout": "sum")"), shape, 1).parameter_count() > 0);
  CHECK_THROWS_WITH(nn::expand_model(preset("")), Contains("readout"));
}

TEST_CASE("the table of blocks knows those that give rows of graphs", "[nn][readout]") {
  std::vector<std::string> readouts;
  for (const std::string& type : nn::block_types())
    if (nn::is_readout(type)) readouts.push_back(type);
  CHECK(readouts == std::vector<std::string>{"attention_readout", "components", "query_readout", "readout", "set2set"});
  CHECK_FALSE(nn::is_readout("none"));
}

TEST_CASE("the readout of an empty graph is zero", "[nn][readout]") {
  for (const std::vector<Node>& sizes : {std::vector<Node>{2, 0, 3}, {0}, {}}) {
    const Batch batch = ring_batch(sizes);
    for (const std::string& text : kReadouts) {
      INFO(text);
      nn::BuildContext build{.shape = kBatchShape, .width = test::kInputs, .name = "b", .seed = 3};
      const auto block = nn::make_block(json::parse(text, "test"), build);
      CHECK(build.node_set == nn::kGraphs);
      std::vector<autograd::Parameter*> parameters;
      block->collect_parameters(parameters);
      for (autograd::Parameter* parameter : parameters) parameter->value.array() += 0.2F;
      autograd::Tape tape;
      autograd::Parameter x("x", batch.x);
      nn::ForwardContext context = context_of(tape, batch, true);
      const Variable y = block->forward(context, {.dense = tape.parameter(x)}).dense;
      REQUIRE(y.rows() == static_cast<Eigen::Index>(sizes.size()));
      REQUIRE(y.cols() == build.width);
      for (std::size_t g = 0; g < sizes.size(); ++g) {
        if (sizes[g] == 0) CHECK(y.value().row(static_cast<Eigen::Index>(g)).isZero(0));
      }
      const Matrix ones = Matrix::Ones(y.rows(), y.cols());
      tape.backward(test::weighted_sum(y, ones));
      CHECK(y.value().allFinite());
      CHECK(x.gradient.allFinite());
      for (const autograd::Parameter* parameter : parameters) CHECK(parameter->gradient.allFinite());
    }
  }
}

TEST_CASE("a graph's output does not depend on its batch", "[nn][readout]") {
  // The order of sums in matrix products depends on the position of a row: some rounding errors of 1e-7 each.
  constexpr float kBound = 2e-6F;
  const Batch together = ring_batch({7, 4, 0, 9, 1, 5});
  const Batch alone = ring_batch({9});
  std::vector<std::string> models = {kLocalBesideGlobal};
  for (const std::string& text : kReadouts) models.push_back(with_head(text));
  for (const std::string& text : models) {
    INFO(text);
    nn::Model model = model_of(text);
    autograd::Tape tape(false);
    nn::ForwardContext all = context_of(tape, together), one = context_of(tape, alone);
    const Matrix y = model.forward(all, {.dense = tape.constant(together.x)}).value();
    const Matrix z = model.forward(one, {.dense = tape.constant(alone.x)}).value();
    CAPTURE(y, z);
    CHECK((y.row(3) - z.row(0)).cwiseAbs().maxCoeff() <= kBound * (1 + z.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("graph-level models give the same bits at any number of threads", "[nn][readout][threads]") {
  std::vector<Node> sizes(300);
  for (std::size_t g = 0; g < sizes.size(); ++g) sizes[g] = static_cast<Node>(g % 23);
  const Batch batch = ring_batch(sizes);
  std::vector<std::string> models = {kLocalBesideGlobal};
  for (const std::string& text : kReadouts) models.push_back(with_head(text));
  for (const std::string& text : models) {
    INFO(text);
    const auto run = [&](int thread_count) {
      set_threads(thread_count);
      nn::Model model = model_of(text);
      autograd::Parameter x("x", batch.x);
      autograd::Tape tape;
      nn::ForwardContext context = context_of(tape, batch, true);
      const Variable y = model.forward(context, {.dense = tape.parameter(x)});
      const Matrix weights = test::random_matrix(y.rows(), y.cols(), 8);
      tape.backward(test::weighted_sum(y, weights));
      std::vector<Matrix> results = {y.value(), x.gradient};
      for (const autograd::Parameter* parameter : model.parameters()) results.push_back(parameter->gradient);
      return results;
    };
    const int before = threads();
    const std::vector<Matrix> one = run(1), two = run(2);
    set_threads(before);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == two[i]);
  }
}

TEST_CASE("readouts record what they attended to", "[nn][readout]") {
  const Batch batch = ring_batch({3, 0, 4});
  for (const char* text : {R"({"type": "attention_readout"})", R"({"type": "query_readout", "width": 3})",
                           R"({"type": "set2set"})"}) {
    INFO(text);
    nn::Model model = model_of(with_head(text));
    autograd::Tape tape(false);
    std::vector<nn::AttentionRecord> records;
    nn::ForwardContext context = context_of(tape, batch);
    context.attention = &records;
    model.forward(context, {.dense = tape.constant(batch.x)});
    REQUIRE(records.size() == 1);
    CHECK(records[0].layer == "blocks.0");
    CHECK(records[0].mask == "readout");
    REQUIRE(records[0].weights.rows() == 7);
    CHECK(records[0].weights.topRows(3).sum() == Approx(1));
    CHECK(records[0].weights.bottomRows(4).sum() == Approx(1));
  }
}

TEST_CASE("blocks that cannot follow or contain a readout are refused", "[nn][readout]") {
  const auto check = [](const std::string& blocks, const std::string& message) {
    CAPTURE(blocks);
    CHECK_THROWS_AS(model_of(blocks), UsageError);
    CHECK_THROWS_WITH(model_of(blocks), Contains(message));
  };
  const std::string readout = R"({"type": "readout", "kind": "sum"})";
  for (const char* block :
       {R"({"type": "gat", "width": 2})", R"({"type": "gatv2", "width": 2})", R"({"type": "dot_product", "width": 2})",
        R"({"type": "gcn", "width": 2})", R"({"type": "sage", "width": 2})", R"({"type": "appnp"})",
        R"({"type": "set2set"})", R"({"type": "readout", "kind": "max"})"}) {
    check("[" + readout + ", " + block + "]", "blocks[1]: a block of type");
  }
  check(R"([{"type": "residual", "blocks": [)" + readout + "]}]", "blocks[0].blocks: expected no readout inside");
  check(R"([{"type": "concat_self", "block": )" + readout + "}]", "blocks[0].block: expected no readout inside");
  check(R"([{"type": "readout"}])", R"("kind" is missing)");
  check(R"([{"type": "readout", "kind": "median"}])", R"(kind: expected one of sum, mean, max, sum_mean_max)");
  check(R"([{"type": "attention_readout", "heads": 2}])", "heads: expected heads that divide the 5 columns");
  check(R"([{"type": "set2set", "steps": 0}])", "steps: expected an integer from 1 to 1000");
  check(R"([{"type": "parallel", "branches": []}])", "branches: expected at least one branch");
  check(R"([{"type": "parallel", "branches": [[], [{"type": "linear", "width": 2}]]}])",
        "branches[1]: expected 5 columns, as the first branch has, got 2");
  check(R"([{"type": "parallel", "branches": [[], [)" + readout + "]]}]",
        "branches[1]: expected a readout in all branches or in none");
  check(R"([{"type": "gatv2", "width": 2, "mask": "all"}])", "mask: expected one of edges, k_hop:k, complete");
  check(R"([{"type": "gcn", "width": 2, "mask": "complete"}])", R"(unknown member "mask")");
}

TEST_CASE("a graph-level model reports which mask is missing or does not fit", "[nn][readout]") {
  const Batch batch = ring_batch({3, 2}), other = ring_batch({4, 2});
  nn::Model model = model_of(kLocalBesideGlobal);
  const auto check = [&](const std::string& message, const auto& spoil) {
    autograd::Tape tape(false);
    nn::ForwardContext context = context_of(tape, batch);
    spoil(context);
    CHECK_THROWS_AS(model.forward(context, {.dense = tape.constant(batch.x)}), ModelError);
    CHECK_THROWS_WITH(model.forward(context, {.dense = tape.constant(batch.x)}), Contains(message));
  };
  check(R"(expected the mask "readout")", [](auto& context) { context.masks.erase("readout"); });
  check(R"(expected the mask "complete")", [](auto& context) { context.masks.erase("complete"); });
  check(R"(mask "readout": made for 6 rows of "nodes", but there are 5)",
        [&](auto& context) { context.masks["readout"] = &other.readout; });
  check(R"(mask "complete": made for 6 rows of "nodes", but there are 5)",
        [&](auto& context) { context.masks["complete"] = &other.complete; });
  const graph::FrozenGraph bare = graph::complete_mask(batch.all.offsets);
  check(R"(edge features of the mask "complete": the model is made for 3, got 0)",
        [&](auto& context) { context.masks["complete"] = &bare; });
  nn::Model node_level = model_of(R"([{"type": "linear", "width": "outputs"}])");
  CHECK_FALSE(node_level.is_graph_level());
  CHECK(node_level.masks().empty());
}
