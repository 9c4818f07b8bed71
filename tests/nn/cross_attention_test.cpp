// Attention between two node sets of unequal size, compared with the operator in double, and as part of a model.
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/model_file.hpp"
#include "support/naive_operator.hpp"
#include "support/ring_batch.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;
using test::MatrixXd;

namespace {

constexpr int kQueries = 5, kKeys = 8;         // rows
constexpr int kQueryWidth = 4, kKeyWidth = 6;  // columns
constexpr int kHeads = 2, kHeadWidth = 3, kFeatures = 2;

const nn::ModelShape kDecoderShape{.inputs = kQueryWidth,
                            .outputs = 3,
                            .node_sets = {{"memory", kKeyWidth}},
                            .masks = {{"cross", nn::kNodes, "memory", kFeatures}, {"within", "memory", "memory", 0}}};

/// Rows of different lengths. Row 2 has nothing to attend to, and no row attends to key 6.
graph::FrozenGraph cross_mask() {
  graph::Csr rows;
  rows.offsets = {0, 3, 4, 4, 11, 13};
  rows.columns = {0, 4, 7, 5, 0, 1, 2, 3, 4, 5, 7, 1, 7};
  graph::FrozenGraph mask = graph::freeze(std::move(rows), kKeys);
  mask.edge_features = test::random_matrix(13, kFeatures, 9);
  return mask;
}

graph::FrozenGraph within_mask() {
  graph::Csr rows;
  for (graph::Node v = 0; v < kKeys; ++v) {
    rows.columns.insert(rows.columns.end(), {v, (v + 3) % kKeys});
    rows.offsets.push_back(rows.columns.size());
  }
  return graph::freeze(std::move(rows), kKeys);
}

struct Made {
  std::unique_ptr<nn::Block> block;
  std::vector<autograd::Parameter*> parameters;

  autograd::Parameter& parameter(const std::string& name) const {
    const auto found = std::ranges::find(parameters, "b." + name, &autograd::Parameter::name);
    REQUIRE(found != parameters.end());
    return **found;
  }
  MatrixXd value(const std::string& name) const { return parameter(name).value.cast<double>(); }
};

Made make_block(const std::string& text) {
  nn::BuildContext context{
      .shape = kDecoderShape, .width = kQueryWidth, .name = "b", .seed = 3, .widths = {{"memory", kKeyWidth}}};
  Made made{nn::make_block(json::parse(text, "test"), context), {}};
  made.block->collect_parameters(made.parameters);
  for (std::size_t i = 0; i < made.parameters.size(); ++i) {  // biases start at zero, which hides mistakes
    Matrix& value = made.parameters[i]->value;
    value += 0.3F * test::random_matrix(value.rows(), value.cols(), i);
  }
  return made;
}

struct Rows {
  autograd::Parameter queries{"queries", test::random_matrix(kQueries, kQueryWidth, 5)};
  autograd::Parameter keys{"keys", test::random_matrix(kKeys, kKeyWidth, 6)};
};

/// The output of the block for `rows`, and their gradients for the output gradient `of_output`.
Matrix run(const Made& made, const graph::FrozenGraph& mask, Rows& rows, const Matrix& of_output) {
  autograd::Tape tape;
  rows.queries.gradient.setZero();
  rows.keys.gradient.setZero();
  nn::ForwardContext context{
      .tape = tape, .masks = {{"cross", &mask}}, .node_sets = {{"memory", {.dense = tape.parameter(rows.keys)}}}};
  const Variable y = made.block->forward(context, {.dense = tape.parameter(rows.queries)}).dense;
  tape.backward(test::weighted_sum(y, of_output));
  return y.value();
}

/// x W + b in double.
MatrixXd project(const autograd::Parameter& x, const Made& made, const std::string& weight, const std::string& bias) {
  MatrixXd y = x.value.cast<double>() * made.value(weight);
  if (!bias.empty()) y.rowwise() += made.value(bias).row(0);
  return y;
}

/// One number per head: the dot product of its columns with those of `vector`.
MatrixXd head_dots(const MatrixXd& z, const MatrixXd& vector) {
  MatrixXd dots(z.rows(), kHeads);
  for (int h = 0; h < kHeads; ++h)
    dots.col(h) = z.middleCols(h * kHeadWidth, kHeadWidth) * vector.middleCols(h * kHeadWidth, kHeadWidth).transpose();
  return dots;
}

/// The gradient of z from that of `head_dots`.
MatrixXd spread(const MatrixXd& of_dots, const MatrixXd& vector) {
  MatrixXd z(of_dots.rows(), vector.cols());
  for (int h = 0; h < kHeads; ++h)
    z.middleCols(h * kHeadWidth, kHeadWidth) = of_dots.col(h) * vector.middleCols(h * kHeadWidth, kHeadWidth);
  return z;
}

void expect_near(const char* what, const Matrix& found, const MatrixXd& expected) {
  CAPTURE(what, found, expected);
  CHECK((found.cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
}

using Parts = attention::Parts<MatrixXd>;

test::NaiveOperator naive(const graph::FrozenGraph& mask, attention::Score score) {
  return {mask, {.score = score, .heads = kHeads, .width = kHeadWidth, .of_score = {.negative_slope = 0.2F}}};
}

}  // namespace

TEST_CASE("dot products between two node sets equal the operator in double", "[nn][cross_attention]") {
  const graph::FrozenGraph mask = cross_mask();
  const Made made = make_block(R"({"type": "dot_product", "mask": "cross", "width": 3, "heads": 2})");
  Rows rows;
  const Matrix gradient = test::random_matrix(kQueries, kHeads * kHeadWidth, 7);
  const Matrix found = run(made, mask, rows, gradient);
  Parts in;
  in.query = project(rows.queries, made, "query.weight", "query.bias");
  in.key = project(rows.keys, made, "key.weight", "key.bias");
  in.value = project(rows.keys, made, "value.weight", "value.bias");
  in.edge_weight = made.value("edge_weight");
  in.value_edge_weight = made.value("edge_weight");
  test::NaiveOperator reference = naive(mask, attention::Score::dot_product);
  expect_near("output", found, reference.forward(in));
  const Parts out = reference.backward(in, gradient.cast<double>());
  expect_near("queries", rows.queries.gradient, out.query * made.value("query.weight").transpose());
  expect_near("keys", rows.keys.gradient,
              out.key * made.value("key.weight").transpose() + out.value * made.value("value.weight").transpose());
  expect_near("edge weight", made.parameter("edge_weight").gradient, out.edge_weight + out.value_edge_weight);
}

TEST_CASE("additive scores between two node sets equal the operator in double", "[nn][cross_attention]") {
  const graph::FrozenGraph mask = cross_mask();
  for (const attention::Score score : {attention::Score::gatv2, attention::Score::bahdanau}) {
    const std::string type = score == attention::Score::gatv2 ? "gatv2" : "bahdanau";
    INFO(type);
    const Made made =
        make_block(R"({"type": ")" + type + R"(", "mask": "cross", "width": 3, "heads": 2, "bias": false})");
    Rows rows;
    const Matrix gradient = test::random_matrix(kQueries, kHeads * kHeadWidth, 7);
    const Matrix found = run(made, mask, rows, gradient);
    const MatrixXd key = project(rows.keys, made, "key.weight", "key.bias");
    Parts in;
    in.query = project(rows.queries, made, "query.weight", "query.bias");
    in.key = key;
    in.value = key;
    in.attention_vector = made.value("attention_vector");
    in.edge_weight = made.value("edge_weight");
    test::NaiveOperator reference = naive(mask, score);
    expect_near("output", found, reference.forward(in));
    const Parts out = reference.backward(in, gradient.cast<double>());
    expect_near("queries", rows.queries.gradient, out.query * made.value("query.weight").transpose());
    expect_near("keys", rows.keys.gradient, (out.key + out.value) * made.value("key.weight").transpose());
    expect_near("attention vector", made.parameter("attention_vector").gradient, out.attention_vector);
  }
}

TEST_CASE("GAT between two node sets equals the operator in double", "[nn][cross_attention]") {
  const graph::FrozenGraph mask = cross_mask();
  const Made made = make_block(R"({"type": "gat", "mask": "cross", "width": 3, "heads": 2, "bias": false})");
  Rows rows;
  const Matrix gradient = test::random_matrix(kQueries, kHeads * kHeadWidth, 7);
  const Matrix found = run(made, mask, rows, gradient);
  const MatrixXd z = project(rows.keys, made, "weight", ""),
                 z_queries = project(rows.queries, made, "query_weight", "");
  const MatrixXd source = made.value("source_vector"), destination = made.value("destination_vector");
  Parts in;
  in.query = head_dots(z_queries, destination);
  in.key = head_dots(z, source);
  in.value = z;
  in.edge_bias = made.value("edge_weight");
  test::NaiveOperator reference = naive(mask, attention::Score::gat);
  expect_near("output", found, reference.forward(in));
  const Parts out = reference.backward(in, gradient.cast<double>());
  expect_near("queries", rows.queries.gradient,
              spread(out.query, destination) * made.value("query_weight").transpose());
  expect_near("keys", rows.keys.gradient, (spread(out.key, source) + out.value) * made.value("weight").transpose());
}

namespace {

/// An encoder of the memory, and a decoder that attends to it.
constexpr const char* kEncoderDecoder = R"({"blocks": [
  {"type": "linear", "width": 4},
  {"type": "node_set", "set": "memory", "blocks": [
    {"type": "gatv2", "mask": "within", "width": 5, "residual": true, "dropout": 0.2},
    {"type": "dot_product", "mask": "within", "width": 2, "heads": 2}]},
  {"type": "gat", "mask": "cross", "width": 3, "heads": 2, "residual": true, "attention_dropout": 0.3},
  {"type": "dot_product", "mask": "cross", "width": 4, "residual": true, "dropout": 0.2},
  {"type": "linear", "width": "outputs"}]})";

struct Memory {
  graph::FrozenGraph cross = cross_mask();
  graph::FrozenGraph within = within_mask();
  Matrix rows = test::random_matrix(kKeys, kKeyWidth, 6);

  nn::ForwardContext context(autograd::Tape& tape, bool is_training) const {
    return {.tape = tape,
            .masks = {{"cross", &cross}, {"within", &within}},
            .is_training = is_training,
            .seed = 1,
            .step = 4,
            .node_sets = {{"memory", {.dense = tape.constant(rows)}}}};
  }
};

}  // namespace

TEST_CASE("an encoder and a decoder are one model, with the gradients of central differences",
          "[nn][cross_attention]") {
  const Memory memory;
  nn::Model model(json::parse(kEncoderDecoder, "model"), kDecoderShape, 5);
  CHECK(model.uses_mask("cross"));
  CHECK(model.uses_mask("within"));
  CHECK_FALSE(model.uses_mask("edges"));
  const Matrix x = test::random_matrix(kQueries, kQueryWidth, 5);
  test::check_gradients(model.parameters(), x, [&](autograd::Tape& tape, std::span<const Variable> v) {
    nn::ForwardContext context = memory.context(tape, true);
    return model.forward(context, {.dense = v[0]});
  });
  const int before = threads();
  std::vector<Matrix> outputs;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    autograd::Tape tape;
    nn::ForwardContext context = memory.context(tape, true);
    outputs.push_back(model.forward(context, {.dense = tape.constant(x)}).value());
  }
  set_threads(before);
  CHECK(outputs[0].rows() == kQueries);
  CHECK(outputs[0] == outputs[1]);
  CHECK(outputs[0] == outputs[2]);
}

TEST_CASE("a model file keeps the node sets and masks that its model is made for",
          "[nn][cross_attention][model_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "m.safetensors").string();
  nn::Model model(json::parse(kEncoderDecoder, "model"), kDecoderShape, 5);
  nn::save_model(path, model);
  nn::LoadedModel loaded = nn::load_model(path);
  CHECK(loaded.model.shape() == kDecoderShape);
  const Memory memory;
  const Matrix x = test::random_matrix(kQueries, kQueryWidth, 5);
  autograd::Tape tape(false);
  nn::ForwardContext one = memory.context(tape, false), other = memory.context(tape, false);
  CHECK(model.forward(one, {.dense = tape.constant(x)}).value() ==
        loaded.model.forward(other, {.dense = tape.constant(x)}).value());
}

TEST_CASE("after a readout, graphs attend to their nodes", "[nn][cross_attention][readout]") {
  const test::Batch batch = test::ring_batch({3, 0, 1, 6});
  nn::Model model(json::parse(R"({"blocks": [
                    {"type": "gatv2", "width": 4},
                    {"type": "readout", "kind": "mean"},
                    {"type": "dot_product", "mask": "readout", "width": 2, "heads": 2, "residual": true},
                    {"type": "linear", "width": "outputs"}]})",
                              "model"),
                  test::kBatchShape, 1);
  CHECK(model.is_graph_level());
  test::check_gradients(model.parameters(), batch.x, [&](autograd::Tape& tape, std::span<const Variable> v) {
    nn::ForwardContext context = test::context_of(tape, batch, true);
    return model.forward(context, {.dense = v[0]});
  });
}

TEST_CASE("invalid node sets and masks are refused", "[nn][cross_attention]") {
  const auto refuse = [](const std::string& blocks, const std::string& message) {
    INFO(blocks);
    CHECK_THROWS_AS(nn::Model(json::parse("{\"blocks\": " + blocks + "}", "m"), kDecoderShape, 1), UsageError);
    CHECK_THROWS_WITH(nn::Model(json::parse("{\"blocks\": " + blocks + "}", "m"), kDecoderShape, 1), Contains(message));
  };
  refuse(R"([{"type": "gat", "width": 3, "mask": "crosss"}])", "m: blocks[0].mask: expected one of edges, k_hop:k");
  refuse(R"([{"type": "gat", "width": 3, "mask": "within"}])",
         R"(the mask "within" is for the rows of "memory", but the block gets those of "nodes")");
  refuse(R"([{"type": "gat", "width": 3, "mask": "readout"}])",
         R"(the mask "readout" is for the rows of "graphs", but the block gets those of "nodes")");
  refuse(R"([{"type": "gatv2", "width": 3, "mask": "cross", "share_weights": true}])",
         "share_weights: expected keys and queries from the same node set");
  refuse(R"([{"type": "gat", "width": 3, "mask": "cross", "dropout_per_head": true}])",
         "dropout_per_head: expected keys and queries from the same node set");
  refuse(R"([{"type": "node_set", "set": "nodes", "blocks": []}])", "expected another node set");
  refuse(R"([{"type": "node_set", "set": "pairs", "blocks": []}])", "expected a node set of the data");
  refuse(R"([{"type": "node_set", "set": "memory", "blocks": [{"type": "readout", "kind": "sum"}]}])",
         R"(a readout is for the rows of "nodes")");

  const Memory memory;
  nn::Model model(json::parse(kEncoderDecoder, "model"), kDecoderShape, 5);
  const auto check = [&](const std::string& message, const auto& spoil) {
    autograd::Tape tape(false);
    nn::ForwardContext context = memory.context(tape, false);
    spoil(tape, context);
    const Variable x = tape.constant(Matrix::Zero(kQueries, kQueryWidth));
    CHECK_THROWS_AS(model.forward(context, {.dense = x}), ModelError);
    CHECK_THROWS_WITH(model.forward(context, {.dense = x}), Contains(message));
  };
  check(R"(node set "memory": expected its rows)", [](auto&, auto& context) { context.node_sets.clear(); });
  check(R"(expected the mask "cross")", [](auto&, auto& context) { context.masks.erase("cross"); });
  check(R"(columns of the node set "memory": the model is made for 6, got 5)", [](auto& tape, auto& context) {
    context.node_sets["memory"] = {.dense = tape.constant(Matrix::Zero(kKeys, 5))};
  });
  check(R"(mask "within": made for 8 rows of "memory", but there are 7)", [](auto& tape, auto& context) {
    context.node_sets["memory"] = {.dense = tape.constant(Matrix::Zero(7, kKeyWidth))};
  });
}

TEST_CASE("every model may use edges as nodes", "[nn][cross_attention]") {
  const nn::ModelShape shape{.inputs = 4, .outputs = 4, .edge_features = 3};
  const auto model = [&](const std::string& blocks) {
    return nn::Model(json::parse("{\"blocks\": " + blocks + "}", "model"), shape, 1);
  };
  CHECK_THROWS_WITH(model(R"([{"type": "dot_product", "width": 4, "mask": "line"}])"),
                    Contains(R"(the mask "line" is for the rows of "edges", but the block gets those of "nodes")"));
  CHECK_THROWS_WITH(model(R"([{"type": "node_set", "set": "edges", "blocks": [
                                {"type": "dot_product", "width": 4, "mask": "incident"}]}])"),
                    Contains(R"(the mask "incident" is for the rows of "nodes")"));
  CHECK_THROWS_WITH(nn::Model(json::parse(R"({"blocks": [{"type": "linear", "width": 4}]})", "model"),
                              {.inputs = 4, .outputs = 4, .node_sets = {{"edges", 3}}}, 1),
                    Contains("besides nodes, edges, graphs and links"));
  const Matrix x = Matrix::Zero(5, 4);
  autograd::Tape tape(false);
  nn::ForwardContext context{.tape = tape};
  nn::Model aimless = model(R"([{"type": "node_set", "set": "edges", "blocks": [{"type": "linear", "width": 4}]}])");
  CHECK_FALSE(aimless.uses_node_set("edges"));
  CHECK_THROWS_WITH(aimless.forward(context, {.dense = tape.constant(x)}), Contains("no mask of the model uses it"));
  nn::Model attending = model(R"([{"type": "dot_product", "width": 4, "mask": "incident"}])");
  CHECK(attending.uses_node_set("edges"));
  CHECK_THROWS_WITH(attending.forward(context, {.dense = tape.constant(x)}),
                    Contains(R"(node set "edges": expected its rows)"));
}

TEST_CASE("attention between two node sets stays finite with nothing to attend to", "[nn][cross_attention]") {
  for (const char* type : {"gat", "gatv2", "bahdanau", "dot_product"}) {
    INFO(type);
    const Made made = make_block(
        std::string(R"({"mask": "cross", "width": 3, "heads": 2, "edge_features": false, "type": ")") + type + "\"}");
    graph::Csr none;
    none.offsets.assign(kQueries + 1, 0);
    const graph::FrozenGraph mask = graph::freeze(std::move(none), 0);
    Rows rows;
    rows.keys = autograd::Parameter("keys", Matrix(0, kKeyWidth));
    CHECK(run(made, mask, rows, Matrix::Ones(kQueries, kHeads * kHeadWidth)).allFinite());
    CHECK(rows.queries.gradient.allFinite());
  }
}
