#include "edgewise/autograd/attention.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"
#include "support/naive_attention.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using namespace edgewise::test;
using graph::EdgeIndex;
using graph::FrozenGraph;
using graph::Node;

namespace {

constexpr int kEdgeFeatures = 11;

struct Shape {
  int heads;
  int width;
};

/// Two thirds of the features are 0, as with one-hot codes.
Matrix edge_features(const FrozenGraph& mask) {
  Matrix features = random_matrix(static_cast<Eigen::Index>(mask.slot_count()), kEdgeFeatures, 9);
  for (Eigen::Index i = 0; i < features.size(); ++i)
    if (i % 3 != 0) features.data()[i] = 0;
  return features;
}

/// 40 destinations, 600 sources: the row of the hub needs several pieces at any number of heads.
FrozenGraph small_mask(bool with_edges, std::size_t sources = 600) {
  FrozenGraph mask = random_mask(40, sources, 6, 5);
  if (with_edges) mask.edge_features = edge_features(mask);
  return mask;
}

double leaky_relu(double x) { return x > 0 ? x : 0.2 * x; }

double edge_term(const FrozenGraph& mask, const Matrix& weight, EdgeIndex slot, int column) {
  double sum = 0;
  for (Eigen::Index f = 0; f < mask.edge_features.cols(); ++f)
    sum += static_cast<double>(mask.edge_features(static_cast<Eigen::Index>(slot), f)) * weight(f, column);
  return sum;
}

/// The inputs of one attention call: tables of the sources and destinations, and what else the score needs.
/// `dot_product_bias` is `dot_product` with one more number per head for each edge feature in the score.
enum class Kind { gat, gatv2, gatv2_edge_value, dot_product, dot_product_bias };

bool is_dot_product(Kind kind) { return kind == Kind::dot_product || kind == Kind::dot_product_bias; }
bool is_gatv2(Kind kind) { return kind == Kind::gatv2 || kind == Kind::gatv2_edge_value; }

std::vector<Matrix> make_inputs(Kind kind, const FrozenGraph& mask, Shape shape) {
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const int columns = shape.heads * shape.width;
  std::vector<Matrix> inputs;
  if (kind == Kind::gat)
    inputs = {random_matrix(sources, shape.heads, 1), random_matrix(destinations, shape.heads, 2),
              random_matrix(sources, columns, 3), random_matrix(kEdgeFeatures, shape.heads, 4)};
  if (is_gatv2(kind))
    inputs = {random_matrix(sources, columns, 1), random_matrix(destinations, columns, 2),
              random_matrix(sources, columns, 3), random_matrix(1, columns, 4),
              random_matrix(kEdgeFeatures, columns, 5)};
  if (is_dot_product(kind))
    inputs = {random_matrix(destinations, columns, 1), random_matrix(sources, columns, 2),
              random_matrix(sources, columns, 3), random_matrix(kEdgeFeatures, columns, 4)};
  if (mask.edge_features.cols() == 0) {
    inputs.pop_back();
    return inputs;
  }
  if (kind == Kind::gatv2_edge_value) inputs.push_back(random_matrix(kEdgeFeatures, columns, 6));
  if (kind == Kind::dot_product_bias) inputs.push_back(random_matrix(kEdgeFeatures, shape.heads, 6));
  return inputs;
}

Variable attend(Kind kind, const FrozenGraph& mask, std::span<const Variable> in, AttentionOptions options) {
  const bool has_edges = mask.edge_features.cols() > 0;
  const auto with_edges = [&](std::size_t index) { return has_edges && index < in.size() ? in[index] : Variable(); };
  AttentionInputs inputs{.query = in[1], .key = in[0], .value = in[2]};
  if (kind == Kind::gat) {
    options.score = attention::Score::gat;
    inputs.edge_bias = with_edges(3);
  } else if (is_gatv2(kind)) {
    options.score = attention::Score::gatv2;
    inputs.attention_vector = in[3];
    inputs.edge_weight = with_edges(4);
    inputs.value_edge_weight = with_edges(5);
  } else {
    inputs = {.query = in[0],
              .key = in[1],
              .value = in[2],
              .edge_weight = with_edges(3),
              .value_edge_weight = with_edges(3),
              .edge_bias = with_edges(4)};
  }
  return autograd::attend(mask, inputs, options);
}

NaiveAttention naive(Kind kind, const FrozenGraph& mask, Shape shape, const std::vector<Matrix>& in) {
  const Matrix none = Matrix::Zero(kEdgeFeatures, shape.heads * shape.width);
  const auto edges = [&](std::size_t index) -> const Matrix& {
    return mask.edge_features.cols() > 0 && index < in.size() ? in[index] : none;
  };
  const Matrix& edge_weight = edges(is_gatv2(kind) ? 4 : 3);
  const Matrix& value_edge_weight = is_gatv2(kind) ? edges(5) : is_dot_product(kind) ? edge_weight : none;
  const Matrix& edge_bias = is_dot_product(kind) ? edges(4) : none;
  const auto score = [&](Node u, Node v, EdgeIndex slot, int h) {
    double sum = edge_term(mask, edge_bias, slot, h);
    if (kind == Kind::gat)
      return leaky_relu(static_cast<double>(in[0](u, h)) + in[1](v, h) + edge_term(mask, edge_weight, slot, h));
    for (int c = h * shape.width; c < (h + 1) * shape.width; ++c) {
      const double edge = edge_term(mask, edge_weight, slot, c);
      sum += is_gatv2(kind) ? in[3](0, c) * leaky_relu(static_cast<double>(in[0](u, c)) + in[1](v, c) + edge)
                            : static_cast<double>(in[0](v, c)) * (in[1](u, c) + edge) / std::sqrt(shape.width);
    }
    return sum;
  };
  const auto value = [&](Node u, EdgeIndex slot, int c) {
    return in[2](u, c) + edge_term(mask, value_edge_weight, slot, c);
  };
  return naive_attention(mask, shape.heads, shape.width, score, value);
}

}  // namespace

TEST_CASE("fused attention equals the naive loop", "[autograd][attention]") {
  const auto kind = GENERATE(Kind::gat, Kind::gatv2, Kind::gatv2_edge_value, Kind::dot_product,
                             Kind::dot_product_bias);
  const auto with_edges = GENERATE(false, true);
  const auto [heads, width] = GENERATE(table<int, int>(
      {{1, 1}, {1, 7}, {8, 8}, {8, 3}, {4, 16}, {4, 5}, {4, 20}, {3, 5}, {2, 9}, {16, 4}, {1, 64}, {2, 65}, {5, 24}}));
  CAPTURE(static_cast<int>(kind), with_edges, heads, width);
  if (!with_edges && (kind == Kind::gatv2_edge_value || kind == Kind::dot_product_bias)) return;
  const FrozenGraph mask = small_mask(with_edges);
  const std::vector<Matrix> inputs = make_inputs(kind, mask, {heads, width});
  Tape tape(false);
  std::vector<Variable> variables;
  for (const Matrix& input : inputs) variables.push_back(tape.constant(input));
  Matrix weights;
  const Variable out = attend(kind, mask, variables, {.heads = heads, .weights = &weights});
  const NaiveAttention expected = naive(kind, mask, {heads, width}, inputs);
  CHECK((out.value().cast<double>() - expected.output).cwiseAbs().maxCoeff() < 1e-5);
  CHECK((weights.cast<double>() - expected.weights).cwiseAbs().maxCoeff() < 1e-5);
  CHECK(out.value().row(0).isZero());
}

TEST_CASE("attention has the correct gradients", "[autograd][attention]") {
  const auto kind = GENERATE(Kind::gat, Kind::gatv2, Kind::gatv2_edge_value, Kind::dot_product,
                             Kind::dot_product_bias);
  const auto with_edges = GENERATE(false, true);
  const auto [heads, width] = GENERATE(table<int, int>({{1, 7}, {8, 8}, {8, 3}, {4, 16}, {3, 5}}));
  const auto dropout = GENERATE(0.0F, 0.5F);
  CAPTURE(static_cast<int>(kind), with_edges, heads, width, dropout);
  if (!with_edges && (kind == Kind::gatv2_edge_value || kind == Kind::dot_product_bias)) return;
  const FrozenGraph mask = small_mask(with_edges, 140);
  // Some steps contain the kink of LeakyReLU and err by part of the change in slope, so that change is kept small.
  const GradientCheck options{.step = 0.005, .tolerance = is_dot_product(kind) ? 2e-3 : 2e-2, .samples = 12};
  const float slope = 0.7F;
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return attend(kind, mask, in,
                      {.heads = heads, .of_score = {.negative_slope = slope}, .dropout = dropout, .dropout_key = 11});
      },
      make_inputs(kind, mask, {heads, width}), options);
}

TEST_CASE("GATv2 may use its keys as values", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false, 50);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return autograd::attend(mask, {.query = in[1], .key = in[0], .value = in[0], .attention_vector = in[2]},
                                {.heads = 2, .score = attention::Score::gatv2, .of_score = {.negative_slope = 0.7F}});
      },
      {random_matrix(50, 16, 1), random_matrix(40, 16, 2), random_matrix(1, 16, 3)},
      {.step = 0.005, .tolerance = 2e-2});
}

TEST_CASE("dot-product attention may have only an edge bias", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(true, 50);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return autograd::attend(mask, {.query = in[0], .key = in[1], .value = in[2], .edge_bias = in[3]},
                                {.heads = 2, .dropout = 0.3F});
      },
      {random_matrix(40, 10, 1), random_matrix(50, 10, 2), random_matrix(50, 10, 3),
       random_matrix(kEdgeFeatures, 2, 4)});
}

TEST_CASE("GATv2 may have edges in its value only", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(true, 50);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) {
        return autograd::attend(
            mask, {.query = in[1], .key = in[0], .value = in[0], .attention_vector = in[2], .value_edge_weight = in[3]},
            {.heads = 2, .score = attention::Score::gatv2, .of_score = {.negative_slope = 0.7F}});
      },
      {random_matrix(50, 10, 1), random_matrix(40, 10, 2), random_matrix(1, 10, 3),
       random_matrix(kEdgeFeatures, 10, 4)},
      {.step = 0.005, .tolerance = 2e-2});
}

TEST_CASE("attention survives scores that overflow a naive exp", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false);
  std::vector<Matrix> inputs = make_inputs(Kind::dot_product, mask, {2, 8});
  inputs[0] *= 1e3F;
  inputs[1] *= 1e3F;
  Tape tape(false);
  const std::vector<Variable> in = {tape.constant(inputs[0]), tape.constant(inputs[1]), tape.constant(inputs[2])};
  const Variable out = attend(Kind::dot_product, mask, in, {.heads = 2});
  CHECK(out.value().allFinite());
  CHECK((out.value().cast<double>() - naive(Kind::dot_product, mask, {2, 8}, inputs).output).cwiseAbs().maxCoeff() <
        1e-3);
}

TEST_CASE("attention weights of a row sum to one", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false);
  const std::vector<Matrix> inputs = make_inputs(Kind::gatv2, mask, {3, 5});
  Tape tape(false);
  std::vector<Variable> in;
  for (const Matrix& input : inputs) in.push_back(tape.constant(input));
  Matrix weights;
  attend(Kind::gatv2, mask, in, {.heads = 3, .weights = &weights});
  for (Node v = 1; v < mask.destination_count(); ++v) {
    const auto begin = static_cast<Eigen::Index>(mask.incoming.offsets[v]);
    const auto count = static_cast<Eigen::Index>(mask.incoming.offsets[v + 1]) - begin;
    if (count == 0) continue;
    CHECK(weights.middleRows(begin, count).colwise().sum().isOnes(1e-5F));
  }
}

TEST_CASE("attention gives the same bits at any number of threads", "[autograd][attention][threads]") {
  const auto kind = GENERATE(Kind::gat, Kind::gatv2, Kind::gatv2_edge_value, Kind::dot_product,
                             Kind::dot_product_bias);
  FrozenGraph mask = random_mask(3000, 3000, 8, 21);
  mask.edge_features = edge_features(mask);
  const std::vector<Matrix> inputs = make_inputs(kind, mask, {4, 8});
  const auto run = [&](int thread_count) {
    set_threads(thread_count);
    std::vector<Parameter> parameters;
    for (const Matrix& input : inputs) parameters.emplace_back("input", input);
    Tape tape;
    std::vector<Variable> in;
    for (Parameter& parameter : parameters) in.push_back(tape.parameter(parameter));
    const Variable out = attend(kind, mask, in, {.heads = 4, .dropout = 0.3F, .dropout_key = 5});
    const Matrix weights = random_matrix(out.rows(), out.cols(), 77);
    tape.backward(weighted_sum(out, weights));
    std::vector<Matrix> results = {out.value()};
    for (const Parameter& parameter : parameters) results.push_back(parameter.gradient);
    return results;
  };
  const int before = threads();
  const std::vector<Matrix> one = run(1), three = run(3);
  set_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == three[i]);
}

TEST_CASE("attention refuses shapes that do not fit", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false, 50);
  const Matrix query = random_matrix(40, 8, 1), key = random_matrix(50, 8, 2), value = random_matrix(50, 6, 3);
  Tape tape(false);
  const AttentionInputs inputs{.query = tape.constant(query), .key = tape.constant(key), .value = tape.constant(value)};
  CHECK_THROWS_WITH(autograd::attend(mask, inputs, {.heads = 2}), "attend: query has shape [40, 8], expected [40, 6]");
  CHECK_THROWS_WITH(autograd::attend(mask, inputs, {.heads = 4}),
                    "attend: expected 1 to 512 heads that divide 6 columns, got 4");
  const Matrix narrow = query.leftCols(6), bias = random_matrix(2, 1, 4);
  const AttentionInputs square{
      .query = tape.constant(narrow), .key = tape.constant(value), .value = tape.constant(value)};
  CHECK_THROWS_WITH(autograd::attend(mask, square, {.of_score = {.negative_slope = -0.5F}}),
                    Catch::Matchers::Contains("negative_slope of at least 0"));
  FrozenGraph short_features = mask;
  short_features.edge_features = Matrix::Ones(1, 2);
  AttentionInputs with_edges = square;
  with_edges.edge_bias = tape.constant(bias);
  CHECK_THROWS_WITH(autograd::attend(short_features, with_edges, {}),
                    Catch::Matchers::Contains("mask.edge_features has shape [1, 2]"));
  const FrozenGraph edges = small_mask(true, 50);
  const Matrix of_queries = random_matrix(40, 1, 5), of_keys = random_matrix(50, 1, 6),
               weight = random_matrix(kEdgeFeatures, 6, 7);
  CHECK_THROWS_WITH(autograd::attend(edges,
                                     {.query = tape.constant(of_queries),
                                      .key = tape.constant(of_keys),
                                      .value = tape.constant(value),
                                      .edge_weight = tape.constant(weight)},
                                     {.score = attention::Score::gat}),
                    Catch::Matchers::Contains("gat has no edge_weight"));
}

TEST_CASE("attention over no edges and no nodes", "[autograd][attention]") {
  const FrozenGraph no_edge = graph::freeze(graph::Csr{{0, 0, 0}, {}}, 2);
  const FrozenGraph no_node = graph::freeze(graph::Csr{}, 0);
  for (const FrozenGraph* mask : {&no_edge, &no_node}) {
    std::vector<Parameter> parameters;
    for (const Matrix& input : make_inputs(Kind::dot_product, *mask, {2, 4})) parameters.emplace_back("input", input);
    Tape tape;
    std::vector<Variable> in;
    for (Parameter& parameter : parameters) in.push_back(tape.parameter(parameter));
    const Variable out = attend(Kind::dot_product, *mask, in, {.heads = 2});
    CHECK(out.value().isZero());
    const Matrix weights = Matrix::Ones(out.rows(), out.cols());
    tape.backward(weighted_sum(out, weights));
    for (const Parameter& parameter : parameters) CHECK(parameter.gradient.isZero());
  }
}

TEST_CASE("attention of rows without columns", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false, 50);
  Tape tape(false);
  const Matrix query(40, 0), key(50, 0);
  const AttentionInputs inputs{.query = tape.constant(query), .key = tape.constant(key), .value = tape.constant(key)};
  CHECK(autograd::attend(mask, inputs, {}).value().rows() == 40);
  Matrix weights;
  CHECK_THROWS_WITH(autograd::attend(mask, inputs, {.weights = &weights}), Catch::Matchers::Contains("no weights"));
}

TEST_CASE("aggregate sums with fixed weights", "[autograd][attention]") {
  const FrozenGraph mask = small_mask(false, 70);
  const Matrix slot_weights = random_matrix(static_cast<Eigen::Index>(mask.slot_count()), 1, 8);
  const Matrix value = random_matrix(70, 11, 4);
  MatrixXd expected = MatrixXd::Zero(40, 11);
  for (Node v = 0; v < 40; ++v)
    for (EdgeIndex k = mask.incoming.offsets[v]; k < mask.incoming.offsets[v + 1]; ++k)
      expected.row(v) += static_cast<double>(slot_weights(static_cast<Eigen::Index>(k), 0)) *
                         value.row(mask.incoming.columns[k]).cast<double>();
  Tape tape(false);
  const Variable out = aggregate(mask, slot_weights.data(), tape.constant(value));
  CHECK((out.value().cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
  check_gradient([&](Tape&, std::span<const Variable> in) { return aggregate(mask, slot_weights.data(), in[0]); },
                 {value});
  const Matrix start = random_matrix(40, 11, 5);
  const Variable more = aggregate(mask, slot_weights.data(), tape.constant(value), tape.constant(start));
  CHECK((more.value() - start - out.value()).cwiseAbs().maxCoeff() < 1e-5F);
  check_gradient(
      [&](Tape&, std::span<const Variable> in) { return aggregate(mask, slot_weights.data(), in[0], in[1]); },
      {value, start});
  // Of rows of a table, which are not copied.
  const Matrix table = random_matrix(90, value.cols(), 9);
  std::vector<graph::Node> rows(static_cast<std::size_t>(value.rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<graph::Node>(i * 7 % 90);
  const Matrix copied = table(rows, Eigen::all);
  const DenseRows selected = tape.selected_rows({table.data(), table.rows(), table.cols()}, rows);
  CHECK(aggregate(mask, slot_weights.data(), selected).value() ==
        aggregate(mask, slot_weights.data(), tape.constant(copied)).value());
  CHECK(selected.table() == table.data());
  CHECK_THROWS_WITH(aggregate(mask, slot_weights.data(), tape.constant(value), tape.constant(value)),
                    Catch::Matchers::Contains("aggregate: start has shape [70, 11], expected [40, 11]"));
}
