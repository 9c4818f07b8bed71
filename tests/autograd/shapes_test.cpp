#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/batch_norm.hpp"
#include "edgewise/autograd/bias_activation.hpp"
#include "edgewise/autograd/binary_cross_entropy.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/autograd/head_dots.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/autograd/layer_norm.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/segment_max.hpp"
#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/squared_error.hpp"
#include "edgewise/core/error.hpp"

// Wrong shapes are refused before anything is read or written, in Release builds as well.
using namespace edgewise;
using namespace edgewise::autograd;

namespace {

struct Matrices {
  Matrix x = Matrix::Ones(5, 6);
  Matrix shorter = Matrix::Ones(4, 6);
  Matrix row = Matrix::Ones(1, 6);
  Matrix short_row = Matrix::Ones(1, 5);
  Matrix weight = Matrix::Ones(6, 4);
  Matrix short_weight = Matrix::Ones(5, 4);
};

/// Destinations 0 and 1, sources 0, 1 and 2.
graph::FrozenGraph small_mask() { return graph::freeze(graph::Csr{{0, 2, 3}, {0, 2, 1}}, 3); }

}  // namespace

TEST_CASE("sums and products of matrices refuse wrong shapes", "[autograd][shapes]") {
  const Matrices m;
  Tape tape;
  const Variable x = tape.constant(m.x), shorter = tape.constant(m.shorter), short_row = tape.constant(m.short_row);
  CHECK_THROWS_WITH(add(x, shorter), "add: b has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(subtract(x, shorter), "subtract: b has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(multiply(x, shorter), "multiply: b has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(add_row(x, short_row), "add_row: row has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(mix(x, x, x), "mix: gate has shape [5, 6], expected [5, 1]");
  CHECK_THROWS_WITH(concat_columns(std::array{x, shorter}), "concat_columns: a part has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(concat_columns({}), "concat_columns: expected at least one part");
  CHECK_THROWS_WITH(slice_columns(x, 5, 2), "slice_columns: expected columns among 6, got 2 from number 5 on");
  CHECK_THROWS_WITH(slice_columns(x, -1, 2), "slice_columns: expected columns among 6, got 2 from number -1 on");
}

TEST_CASE("linear layers refuse wrong shapes", "[autograd][shapes]") {
  const Matrices m;
  Tape tape;
  const Variable x = tape.constant(m.x), weight = tape.constant(m.weight), short_row = tape.constant(m.short_row);
  const Variable short_weight = tape.constant(m.short_weight);
  const std::array<std::uint64_t, 3> keys{1, 2, 3};
  CHECK_THROWS_WITH(linear(x, short_weight), "linear: weight has shape [5, 4], expected [6, 4]");
  CHECK_THROWS_WITH(linear(x, weight, short_row), "linear: bias has shape [1, 5], expected [1, 4]");
  CHECK_THROWS_WITH(linear_by_head(x, short_weight, 0.5F, keys),
                    "linear_by_head: weight has shape [5, 4], expected [6, 4]");
  CHECK_THROWS_WITH(linear_by_head(x, weight, 0.5F, keys),
                    "linear_by_head: expected 1 to 512 heads that divide 4 columns, got 3");

  SparseMatrix features(5, 6);
  features.insert(1, 2) = 1;
  features.makeCompressed();
  const SparseInput input(features);
  CHECK_THROWS_WITH(sparse_linear({&input}, short_weight), "sparse_linear: weight has shape [5, 4], expected [6, 4]");
  CHECK_THROWS_WITH(sparse_linear({&input}, weight, short_row),
                    "sparse_linear: bias has shape [1, 5], expected [1, 4]");
  CHECK_THROWS_WITH(sparse_dropout(tape, {&input}, {.probability = 1}),
                    "sparse_dropout: expected a probability of at least 0 and below 1, got 1");
  const SparseFeatures by_head = sparse_dropout(tape, {&input}, {.probability = 0.5F, .heads = 2});
  CHECK_THROWS_WITH(sparse_dropout(tape, by_head, {.probability = 0.5F}),
                    "sparse_dropout: x has a dropout by head already");
}

TEST_CASE("operations on rows refuse wrong shapes", "[autograd][shapes]") {
  const Matrices m;
  Tape tape;
  const Variable x = tape.constant(m.x), row = tape.constant(m.row), short_row = tape.constant(m.short_row);
  Matrix mean = m.row, variance = m.row, short_mean = m.short_row;
  CHECK_THROWS_WITH(layer_norm(x, short_row, row, 1e-5F), "layer_norm: gain has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(layer_norm(x, row, short_row, 1e-5F), "layer_norm: bias has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(batch_norm(x, short_row, row, mean, variance, {}),
                    "batch_norm: gain has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(batch_norm(x, row, short_row, mean, variance, {}),
                    "batch_norm: bias has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(batch_norm(x, row, row, short_mean, variance, {}),
                    "batch_norm: running_mean has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(batch_norm(x, row, row, mean, short_mean, {}),
                    "batch_norm: running_variance has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(bias_activation(x, short_row, Rectifier::elu),
                    "bias_activation: bias has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(dropout(x, 1.5F, 1), "dropout: expected a probability of at least 0 and below 1, got 1.5");
  CHECK_THROWS_WITH(mean_over_heads(x, 4), "mean_over_heads: expected 1 to 512 heads that divide 6 columns, got 4");
  CHECK_THROWS_WITH(mean_over_heads(x, 0), "mean_over_heads: expected 1 to 512 heads that divide 6 columns, got 0");
  CHECK_THROWS_WITH(head_dots(x, {short_row}, {row}, 2), "head_dots: vector has shape [1, 5], expected [1, 6]");
  CHECK_THROWS_WITH(head_dots(x, {row}, {row, row}, 2), "head_dots: bias has shape [1, 6], expected [1, 2]");
  const std::array<graph::Node, 5> outside{0, 1, 2, 3, 5};
  CHECK_THROWS_WITH(select_rows(x, outside), "select_rows: rows contains 5, expected less than 5");
  CHECK_THROWS_WITH(linear_each(x, {}), "linear_each: expected 1 to 3 factors, got 0");
  CHECK_THROWS_WITH(linear_each(x, std::vector<LinearFactor>(4)), "linear_each: expected 1 to 3 factors, got 4");
}

TEST_CASE("cross entropy refuses logits without classes", "[autograd][shapes]") {
  Tape tape;
  const Matrix logits(3, 0);
  const std::vector<std::int32_t> unknown(3, -1);
  const std::array<std::uint32_t, 2> nodes{0, 2};
  CHECK_THROWS_AS(cross_entropy(tape.constant(logits), unknown, nodes), UsageError);
}

TEST_CASE("losses refuse wrong shapes, rows and classes", "[autograd][shapes]") {
  const Matrices m;
  Tape tape;
  const Variable x = tape.constant(m.x);
  const std::array<std::uint32_t, 2> nodes{0, 4}, outside{0, 5};
  const std::array<std::int32_t, 5> classes{0, 1, 2, -1, 5}, no_class{6, 1, 2, 3, 4};
  const std::array<std::int32_t, 4> few_classes{0, 1, 2, 3};
  const std::array<float, 2> weights{1, 1};
  CHECK_THROWS_WITH(cross_entropy(x, few_classes, nodes, {}), "cross_entropy: classes has 4 elements, expected 5");
  CHECK_THROWS_WITH(cross_entropy(x, classes, outside, {}), "cross_entropy: nodes contains 5, expected less than 5");
  CHECK_THROWS_WITH(cross_entropy(x, no_class, nodes, {}), "cross_entropy: classes contains 6, expected less than 6");
  CHECK_THROWS_WITH(cross_entropy(x, classes, nodes, weights),
                    "cross_entropy: class_weights has 2 elements, expected 6");
  CHECK_THROWS_WITH(binary_cross_entropy(x, m.shorter, nodes, {}),
                    "binary_cross_entropy: targets has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(binary_cross_entropy(x, m.x, outside, {}),
                    "binary_cross_entropy: nodes contains 5, expected less than 5");
  CHECK_THROWS_WITH(binary_cross_entropy(x, m.x, nodes, weights),
                    "binary_cross_entropy: positive_weights has 2 elements, expected 6");
  CHECK_THROWS_WITH(squared_error(x, m.shorter, nodes), "squared_error: targets has shape [4, 6], expected [5, 6]");
  CHECK_THROWS_WITH(squared_error(x, m.x, outside), "squared_error: nodes contains 5, expected less than 5");
}

TEST_CASE("operations over a mask refuse wrong shapes", "[autograd][shapes]") {
  const graph::FrozenGraph mask = small_mask();
  const Matrix two = Matrix::Ones(2, 4), three = Matrix::Ones(3, 4), row = Matrix::Ones(1, 3);
  Tape tape;
  const Variable query = tape.constant(two), key = tape.constant(three), vector = tape.constant(row);
  const AttentionInputs inputs{.query = query, .key = key, .value = key};
  const std::array<float, 3> slot_weights{1, 1, 1};
  CHECK_NOTHROW(attend(mask, inputs, {.heads = 2}));
  CHECK_THROWS_WITH(segment_max(mask, query), "segment_max: x has shape [2, 4], expected [3, 4]");
  CHECK_THROWS_WITH(aggregate(mask, slot_weights.data(), query), "aggregate: value has shape [2, 4], expected [3, 4]");
  CHECK_THROWS_WITH(attend(mask, inputs, {.heads = 3}), "attend: expected 1 to 512 heads that divide 4 columns, got 3");
  CHECK_THROWS_WITH(attend(mask, inputs, {.heads = 2, .dropout = 1}),
                    "attend: expected a probability of at least 0 and below 1, got 1");
  CHECK_THROWS_WITH(attend(mask, {.query = query, .key = query, .value = key}, {.heads = 2}),
                    "attend: key has shape [2, 4], expected [3, 4]");
  CHECK_THROWS_WITH(attend(mask, {.query = query, .key = key, .value = query}, {.heads = 2}),
                    "attend: value has shape [2, 4], expected [3, 4]");
  const auto with = [&](auto set) {
    AttentionInputs more = inputs;
    set(more);
    attend(mask, more, {.heads = 2, .score = attention::Score::gatv2});
  };
  CHECK_THROWS_WITH(with([&](AttentionInputs& in) { in.attention_vector = vector; }),
                    "attend: attention_vector has shape [1, 3], expected [1, 4]");
  CHECK_THROWS_WITH(with([&](AttentionInputs& in) { in.edge_weight = vector; }),
                    "attend: edge_weight has shape [1, 3], expected [0, 4]");
  CHECK_THROWS_WITH(with([&](AttentionInputs& in) { in.value_edge_weight = vector; }),
                    "attend: value_edge_weight has shape [1, 3], expected [0, 4]");
  CHECK_THROWS_WITH(with([&](AttentionInputs& in) { in.edge_bias = vector; }),
                    "attend: edge_bias has shape [1, 3], expected [0, 2]");
  CHECK_THROWS_WITH(attend(mask, {.query = query, .value = key}, {.heads = 2}),
                    "attend: expected a key, got none");
}

TEST_CASE("a tape refuses what it cannot differentiate", "[autograd][shapes]") {
  const Matrix x = Matrix::Ones(2, 2);
  Tape tape;
  const Variable constant = tape.constant(x);
  CHECK_THROWS_WITH(tape.backward(constant), "backward: loss has shape [2, 2], expected [1, 1]");
  CHECK_THROWS_WITH(constant.gradient(), "gradient: the variable has none");
  CHECK_THROWS_WITH(relu(Variable()), "expected a variable on a tape, got one that is not set");
}
