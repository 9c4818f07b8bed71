#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "edgewise/attention/variants.hpp"
#include "support/attention_inputs.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::attention;
using graph::FrozenGraph;
using test::apart;
using test::HeadSizes;
using test::kScores;
using test::random_inputs;
using test::random_matrix;

namespace {

/// The nearest float with 8 significant bits; ties go to the even last bit.
float nearest_bfloat16(float x) {
  if (x == 0) return x;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(x), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8));
}

Matrix rounded(const Matrix& matrix) { return matrix.unaryExpr(&nearest_bfloat16); }

constexpr std::initializer_list<HeadSizes> kSizes = {{1, 1}, {3, 3}, {2, 7}, {8, 8}, {5, 13}, {4, 16},
                                                     {2, 20}, {1, 32}, {3, 16}, {1, 8}, {16, 4}};

}  // namespace

TEST_CASE("bfloat16 rows give the same as rounded rows in float32", "[attention][precision]") {
  const FrozenGraph mask = test::random_mask(70, 600, 20, 3);
  for (const Score score : kScores)
    for (const HeadSizes sizes : kSizes) {
      AttentionInputs inputs = random_inputs(mask, score, sizes);
      AttentionInputs by_hand = inputs;
      if (!inputs.score->is_per_head) {
        by_hand.query = rounded(inputs.query);
        by_hand.key = rounded(inputs.key);
      }
      by_hand.value = rounded(inputs.value);
      inputs.precision = Precision::bfloat16;
      CAPTURE(name(score), sizes.heads, sizes.width);
      Attention stored(Variant::sparse_fused, Purpose::training, mask, inputs);
      Attention expected(Variant::gather_scatter, Purpose::training, mask, by_hand);
      CHECK(apart(stored.forward(), expected.forward()) <= 1e-5);
      const Matrix output_gradient = random_matrix(70, sizes.heads * sizes.width, 5);
      const AttentionGradients& gradients = stored.backward(output_gradient);
      const AttentionGradients& of_rounded = expected.backward(rounded(output_gradient));
      CHECK(apart(gradients.query, of_rounded.query) <= 1e-4);
      CHECK(apart(gradients.key, of_rounded.key) <= 1e-4);
      CHECK(apart(gradients.value, of_rounded.value) <= 1e-4);
      CHECK(apart(gradients.attention_vector, of_rounded.attention_vector) <= 1e-4);
    }
}

TEST_CASE("bfloat16 is close to float32 but not equal", "[attention][precision]") {
  const FrozenGraph mask = test::random_mask(200, 300, 15, 4);
  for (const Score score : kScores) {
    AttentionInputs inputs = random_inputs(mask, score, {4, 16});
    Attention attention(Variant::sparse_fused, Purpose::inference, mask, inputs);
    const Matrix exact = attention.forward();
    inputs.precision = Precision::bfloat16;
    const double difference =
        apart(Attention(Variant::sparse_fused, Purpose::inference, mask, inputs).forward(), exact);
    CAPTURE(name(score));
    CHECK(difference > 1e-5);
    CHECK(difference < 0.01);
  }
}

TEST_CASE("bfloat16 gives the same bits at any number of threads", "[attention][precision]") {
  const FrozenGraph mask = test::random_mask(700, 650, 60, 8);
  for (const Score score : kScores) {
    AttentionInputs inputs = random_inputs(mask, score, {4, 16});
    inputs.precision = Precision::bfloat16;
    test::check_bits_over_threads(mask, inputs);
  }
}

TEST_CASE("bfloat16 keeps special values", "[attention][precision]") {
  // One edge: the output is the rounded value itself.
  const FrozenGraph mask = graph::freeze(graph::Csr{{0, 1}, {0}}, 1);
  AttentionInputs inputs = random_inputs(mask, Score::dot_product, {1, 8});
  inputs.precision = Precision::bfloat16;
  inputs.key.setZero();
  // Ties go to the even last bit; 0x1.01p0 lies between 0x1.00p0 and 0x1.02p0.
  inputs.value << 0.0F, 1.0F, -3.0F, 0x1.01p0F, 0x1.03p0F, 0x1.0101p0F, 1e-30F, INFINITY;
  Attention attention(Variant::sparse_fused, Purpose::inference, mask, inputs);
  const Matrix& output = attention.forward();
  CHECK(output(0, 0) == 0.0F);
  CHECK(output(0, 1) == 1.0F);
  CHECK(output(0, 2) == -3.0F);
  CHECK(output(0, 3) == 0x1.00p0F);
  CHECK(output(0, 4) == 0x1.04p0F);
  CHECK(output(0, 5) == 0x1.02p0F);
  CHECK(output(0, 6) == Approx(1e-30).epsilon(0.004));
  CHECK(output(0, 7) == INFINITY);
  inputs.value.setConstant(NAN);
  CHECK(std::isnan(attention.forward()(0, 0)));
}
