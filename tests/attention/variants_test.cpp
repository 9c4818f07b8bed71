#include "edgewise/attention/variants.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/attention_inputs.hpp"
#include "support/naive_operator.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::attention;
using Catch::Matchers::Contains;
using graph::FrozenGraph;
using graph::Node;
using test::distance;
using test::HeadSizes;
using test::kScores;
using test::MatrixXd;
using test::random_inputs;
using test::random_matrix;

namespace {

constexpr std::array kVariants = {Variant::sparse_fused, Variant::gather_scatter, Variant::dense_masked,
                                  Variant::dense_tiled};

/// The output of the naive operator for the same inputs, and its gradients.
struct Expected {
  MatrixXd output;
  Parts<MatrixXd> gradients;
};

Expected expected_of(const FrozenGraph& mask, const AttentionInputs& inputs, const Matrix& output_gradient) {
  const bool value_is_key = inputs.score->value_is_key;
  Parts<MatrixXd> in;
  in.query = inputs.query.cast<double>();
  in.key = inputs.key.cast<double>();
  in.value = (value_is_key ? inputs.key : inputs.value).cast<double>();
  in.attention_vector = inputs.attention_vector.cast<double>();
  test::NaiveOperator naive(mask, {.score = score_named(inputs.score->name),
                                   .normaliser = inputs.normaliser,
                                   .heads = inputs.heads,
                                   .width = inputs.width,
                                   .of_score = inputs.options});
  Expected expected{naive.forward(in), naive.backward(in, output_gradient.cast<double>())};
  if (value_is_key) {
    expected.gradients.key += expected.gradients.value;
    expected.gradients.value.resize(0, 0);
  }
  return expected;
}

/// Compares all variants with the naive operator, forward and all gradients. The second pass reuses buffers.
void check_variants(const FrozenGraph& mask, const AttentionInputs& inputs, double tolerance = 1e-5) {
  const Matrix output_gradient =
      random_matrix(static_cast<Eigen::Index>(mask.destination_count()), inputs.heads * inputs.width, 5);
  const auto [output, expected] = expected_of(mask, inputs, output_gradient);
  for (const Variant variant : kVariants) {
    CAPTURE(name(variant), inputs.score->name, name(inputs.normaliser), inputs.heads, inputs.width,
            mask.destination_count(), mask.source_count(), mask.slot_count());
    Attention attention(variant, Purpose::training, mask, inputs);
    Attention inference(variant, Purpose::inference, mask, inputs);
    for (int pass = 0; pass < 2; ++pass) {
      CHECK(distance(attention.forward(), output) <= tolerance);
      CHECK(inference.forward() == attention.forward());
      const AttentionGradients& gradients = attention.backward(output_gradient);
      CHECK(distance(gradients.query, expected.query) <= tolerance);
      CHECK(distance(gradients.key, expected.key) <= tolerance);
      CHECK(distance(gradients.value, expected.value) <= tolerance);
      CHECK(distance(gradients.attention_vector, expected.attention_vector) <= tolerance);
    }
  }
}

/// Calls `body(score, normaliser)` for all scores and normalisers.
template <class Body>
void for_each_pair(Body&& body) {
  for (const Score score : kScores)
    for (const Normaliser normaliser : test::kNormalisers) body(score, normaliser);
}

FrozenGraph mask_from(graph::Csr csr, std::size_t sources) { return graph::freeze(std::move(csr), sources); }

/// Blocks of nodes that attend within their block only: most tiles are empty.
FrozenGraph block_mask(Node blocks, Node size) {
  graph::Csr csr;
  for (Node row = 0; row < blocks * size; ++row) {
    for (Node source = row / size * size; source < (row / size + 1) * size; ++source) csr.columns.push_back(source);
    csr.offsets.push_back(csr.columns.size());
  }
  return mask_from(std::move(csr), blocks * size);
}

}  // namespace

TEST_CASE("all variants agree at any width and number of heads", "[attention][variants]") {
  const FrozenGraph mask = test::random_mask(70, 150, 20, 3);
  for_each_pair([&](Score score, Normaliser normaliser) {
    for (const HeadSizes sizes : std::initializer_list<HeadSizes>{{1, 1},
                                                                  {3, 3},
                                                                  {2, 5},
                                                                  {8, 8},
                                                                  {8, 3},
                                                                  {5, 13},
                                                                  {4, 16},
                                                                  {4, 5},
                                                                  {4, 20},
                                                                  {2, 20},
                                                                  {1, 32},
                                                                  {2, 64},
                                                                  {1, 70},
                                                                  {16, 4},
                                                                  {12, 1}})
      check_variants(mask, random_inputs(mask, score, sizes, normaliser));
  });
}

TEST_CASE("all variants take the options of scores", "[attention][variants]") {
  const FrozenGraph mask = test::random_mask(70, 80, 10, 3);
  for_each_pair([&](Score score, Normaliser normaliser) {
    AttentionInputs inputs = random_inputs(mask, score, {3, 9}, normaliser);
    inputs.options = {.negative_slope = 0.01F, .scale = false};
    check_variants(mask, inputs);
  });
}

TEST_CASE("all variants agree on any mask", "[attention][variants]") {
  const auto check = [](const FrozenGraph& mask) {
    for_each_pair([&](Score score, Normaliser normaliser) {
      check_variants(mask, random_inputs(mask, score, {3, 5}, normaliser));
    });
  };
  SECTION("one node, with and without a self loop") {
    check(mask_from({{0, 1}, {0}}, 1));
    check(mask_from({{0, 0}, {}}, 1));
  }
  SECTION("no edges, no nodes") {
    check(mask_from({{0, 0, 0, 0}, {}}, 5));
    check(mask_from({{0}, {}}, 0));
    check(mask_from({{0}, {}}, 3));
    check(mask_from({{0, 0}, {}}, 0));
  }
  SECTION("more sources than destinations, and the reverse") {
    check(test::random_mask(3, 400, 30, 1));
    check(test::random_mask(400, 3, 2, 1));
  }
  SECTION("sizes around the tile size") {
    for (const std::size_t nodes : {63, 64, 65, 129}) check(test::random_mask(nodes, nodes, 30, 7));
  }
  SECTION("all pairs, and blocks that leave tiles empty") {
    check(block_mask(1, 100));
    check(block_mask(7, 50));
  }
  SECTION("so sparse that most rows are empty") { check(test::random_mask(300, 300, 0.5, 2)); }
}

TEST_CASE("no score overflows", "[attention][variants]") {
  // Scores up to 1e4 of either sign have rounding errors of about 1e-3, and so do the weights.
  const FrozenGraph mask = test::random_mask(80, 90, 20, 4);
  for_each_pair([&](Score score, Normaliser normaliser) {
    AttentionInputs inputs = random_inputs(mask, score, {2, 16}, normaliser);
    if (inputs.score->has_vector)
      inputs.attention_vector *= 3000;
    else
      inputs.query *= inputs.score->is_per_head ? 1e4F : 6e3F;
    const Matrix output_gradient = random_matrix(80, 32, 5);
    const MatrixXd expected = expected_of(mask, inputs, output_gradient).output;
    for (const Variant variant : kVariants) {
      CAPTURE(name(variant), name(score), name(normaliser));
      Attention attention(variant, Purpose::training, mask, inputs);
      CHECK(distance(attention.forward(), expected) <= 5e-3);
      const AttentionGradients& gradients = attention.backward(output_gradient);
      CHECK(gradients.query.allFinite());
      CHECK(gradients.key.allFinite());
      CHECK(gradients.value.allFinite());
      CHECK(gradients.attention_vector.allFinite());
    }
  });
}

TEST_CASE("weights of each normaliser, by hand", "[attention][variants]") {
  // Node 0 attends to 0 and 1 with scores 2 and -4, and node 1 to none.
  const FrozenGraph mask = mask_from({{0, 2, 2}, {0, 1}}, 2);
  AttentionInputs inputs;
  inputs.options.scale = false;
  inputs.query = Matrix::Constant(2, 1, 2);
  inputs.key = Matrix{{1}, {-2}};
  inputs.value = Matrix{{1}, {10}};
  const auto check = [&](Normaliser normaliser, double expected, double sum_of_weights) {
    inputs.normaliser = normaliser;
    AttentionInputs ones = inputs;
    ones.value.setOnes();
    for (const Variant variant : kVariants) {
      CAPTURE(name(variant), name(normaliser));
      Attention attention(variant, Purpose::inference, mask, inputs);
      CHECK(attention.forward()(0, 0) == Approx(expected));
      CHECK(attention.forward()(1, 0) == 0);
      CHECK(Attention(variant, Purpose::inference, mask, ones).forward()(0, 0) == Approx(sum_of_weights));
    }
  };
  const double weight = 1 / (1 + std::exp(-6.0));
  check(Normaliser::softmax, weight + 10 * (1 - weight), 1);
  check(Normaliser::relu, 1, 1);  // 2 / 2 edges and 0
  check(Normaliser::none, 2 - 40, 2 - 4);
  inputs.query *= 3;
  check(Normaliser::relu, 3, 3);  // rows do not sum to 1
}

TEST_CASE("a pair that the mask leaves out has weight 0", "[attention][variants]") {
  // No node attends to source 5, although its score would be the highest.
  graph::Csr csr;
  for (Node row = 0; row < 20; ++row) {
    for (Node source = 0; source < 30; ++source)
      if (source != 5 && (row + source) % 3 == 0) csr.columns.push_back(source);
    csr.offsets.push_back(csr.columns.size());
  }
  const FrozenGraph mask = mask_from(std::move(csr), 30);
  for_each_pair([&](Score score, Normaliser normaliser) {
    AttentionInputs inputs = random_inputs(mask, score, {2, 8}, normaliser);
    for (const Variant variant : kVariants) {
      CAPTURE(name(variant), name(score), name(normaliser));
      Attention attention(variant, Purpose::training, mask, inputs);
      const Matrix before = attention.forward();
      const Matrix output_gradient = random_matrix(20, 16, 5);
      const Matrix key = inputs.key;
      inputs.key.row(5).setConstant(1e5F);
      if (!inputs.score->value_is_key) inputs.value.row(5).setConstant(1e30F);
      CHECK(attention.forward() == before);
      const AttentionGradients& gradients = attention.backward(output_gradient);
      CHECK(gradients.key.row(5).isZero(0));
      if (!inputs.score->value_is_key) CHECK(gradients.value.row(5).isZero(0));
      inputs.key = key;
    }
  });
}

TEST_CASE("variants give the same bits at any number of threads", "[attention][variants]") {
  const FrozenGraph mask = test::random_mask(700, 650, 60, 8);
  const Matrix output_gradient = random_matrix(700, 26, 5);
  const int before = threads();
  for_each_pair([&](Score score, Normaliser normaliser) {
    const AttentionInputs inputs = random_inputs(mask, score, {2, 13}, normaliser);
    for (const Variant variant : kVariants) {
      CAPTURE(name(variant), name(score), name(normaliser));
      Attention one(variant, Purpose::training, mask, inputs);
      set_threads(1);
      const Matrix& output = one.forward();
      const AttentionGradients& gradients = one.backward(output_gradient);
      for (const int count : {2, 3}) {
        set_threads(count);
        Attention more(variant, Purpose::training, mask, inputs);
        CHECK(more.forward() == output);
        const AttentionGradients& others = more.backward(output_gradient);
        CHECK(others.query == gradients.query);
        CHECK(others.key == gradients.key);
        CHECK(others.value == gradients.value);
        CHECK(others.attention_vector == gradients.attention_vector);
      }
    }
  });
  set_threads(before);
}

TEST_CASE("variants refuse what does not fit", "[attention][variants]") {
  const FrozenGraph mask = test::random_mask(4, 6, 2, 1);
  const auto refuses = [&](const AttentionInputs& inputs, const char* message) {
    CHECK_THROWS_WITH(Attention(Variant::dense_tiled, Purpose::inference, mask, inputs), Contains(message));
    CHECK_THROWS_AS(Attention(Variant::sparse_fused, Purpose::inference, mask, inputs), UsageError);
  };
  AttentionInputs inputs = random_inputs(mask, Score::dot_product, {2, 3});
  inputs.query.resize(6, 6);
  refuses(inputs, "query has shape [6, 6], expected [4, 6]");
  inputs = random_inputs(mask, Score::gat, {2, 3});
  inputs.key.resize(6, 6);
  refuses(inputs, "key has shape [6, 6], expected [6, 2]");
  inputs = random_inputs(mask, Score::dot_product, {2, 3});
  inputs.value.resize(6, 5);
  refuses(inputs, "value has shape [6, 5], expected [6, 6]");
  inputs = random_inputs(mask, Score::gatv2, {2, 3});
  inputs.attention_vector.resize(1, 3);
  refuses(inputs, "attention_vector has shape [1, 3], expected [1, 6]");
  inputs = random_inputs(mask, Score::gatv2, {2, 3});
  inputs.value.resize(6, 6);
  refuses(inputs, "value has shape [6, 6], expected [0, 0]");
  inputs = random_inputs(mask, Score::dot_product, {2, 3});
  inputs.heads = 0;
  refuses(inputs, "expected 1 to 512 heads, got 0");
  inputs = random_inputs(mask, Score::dot_product, {2, 3});
  inputs.width = 0;
  refuses(inputs, "expected a width of at least 1, got 0");
}

TEST_CASE("backward needs a forward pass for training", "[attention][variants]") {
  const FrozenGraph mask = test::random_mask(4, 6, 2, 1);
  const AttentionInputs inputs = random_inputs(mask, Score::dot_product, {2, 3});
  const Matrix output_gradient = random_matrix(4, 6, 1);
  Attention inference(Variant::dense_tiled, Purpose::inference, mask, inputs);
  inference.forward();
  CHECK_THROWS_AS(inference.backward(output_gradient), UsageError);
  Attention training(Variant::dense_tiled, Purpose::training, mask, inputs);
  CHECK_THROWS_AS(training.backward(output_gradient), UsageError);
  training.forward();
  CHECK_THROWS_WITH(training.backward(random_matrix(4, 5, 1)),
                    Contains("output_gradient has shape [4, 5], expected [4, 6]"));
  CHECK_NOTHROW(training.backward(output_gradient));
}

TEST_CASE("dense variants refuse a repeated pair", "[attention][variants]") {
  const FrozenGraph mask = mask_from({{0, 2}, {1, 1}}, 2);
  const AttentionInputs inputs = random_inputs(mask, Score::dot_product, {1, 2});
  CHECK_NOTHROW(Attention(Variant::gather_scatter, Purpose::inference, mask, inputs));
  CHECK_THROWS_WITH(Attention(Variant::dense_masked, Purpose::inference, mask, inputs),
                    Contains("source 1 and destination 0 appear twice"));
  CHECK_THROWS_WITH(Attention(Variant::dense_tiled, Purpose::inference, mask, inputs),
                    Contains("source 1 and destination 0 appear twice"));
}

TEST_CASE("variants have names", "[attention][variants]") {
  CHECK(name(Variant::sparse_fused) == "sparse_fused");
  CHECK(name(Variant::gather_scatter) == "gather_scatter");
  CHECK(name(Variant::dense_masked) == "dense_masked");
  CHECK(name(Variant::dense_tiled) == "dense_tiled");
}
