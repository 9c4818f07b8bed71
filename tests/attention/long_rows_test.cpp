#include <catch2/catch.hpp>

#include <array>
#include <initializer_list>

#include "edgewise/attention/variants.hpp"
#include "support/attention_inputs.hpp"
#include "support/random_graph.hpp"

/// Masks with many edges per node, on one side or the other: the intermediate results that are kept for short rows no
/// longer fit into the scratch memory.
using namespace edgewise;
using namespace edgewise::attention;
using graph::FrozenGraph;
using test::apart;
using test::HeadSizes;
using test::kNormalisers;
using test::kScores;
using test::random_inputs;
using test::random_matrix;

namespace {

/// Many more sources than destinations, and the reverse.
const std::array kMasks = {test::random_mask(90, 3500, 300, 3), test::random_mask(3500, 90, 40, 4)};

constexpr std::initializer_list<HeadSizes> kSizes = {{4, 16}, {8, 8}, {3, 5}, {1, 64}, {2, 8}};

void check_against_gather_scatter(const FrozenGraph& mask, const AttentionInputs& inputs, double bound) {
  Attention fused(Variant::sparse_fused, Purpose::training, mask, inputs);
  Attention reference(Variant::gather_scatter, Purpose::training, mask, inputs);
  CHECK(apart(fused.forward(), reference.forward()) <= bound);
  const Matrix output_gradient = random_matrix(inputs.query.rows(), inputs.heads * inputs.width, 5);
  const AttentionGradients& gradients = fused.backward(output_gradient);
  const AttentionGradients& expected = reference.backward(output_gradient);
  CHECK(apart(gradients.query, expected.query) <= bound);
  CHECK(apart(gradients.key, expected.key) <= bound);
  CHECK(apart(gradients.value, expected.value) <= bound);
  CHECK(apart(gradients.attention_vector, expected.attention_vector) <= bound);
}

}  // namespace

TEST_CASE("long rows give the same as gather-scatter", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks)
    for (const Score score : kScores)
      for (const Normaliser normaliser : kNormalisers)
        for (const HeadSizes sizes : kSizes) {
          CAPTURE(name(score), name(normaliser), sizes.heads, sizes.width, mask.destination_count());
          check_against_gather_scatter(mask, random_inputs(mask, score, sizes, normaliser), 2e-5);
        }
}

TEST_CASE("large scores in parts of a long row are safe", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks) {
    AttentionInputs inputs = random_inputs(mask, Score::dot_product, {4, 16});
    inputs.key.bottomRows(20) *= 40;
    inputs.query.topRows(40) *= 3;
    check_against_gather_scatter(mask, inputs, 2e-4);
    inputs.key.topRows(30) *= -90;
    check_against_gather_scatter(mask, inputs, 1e-3);
  }
}

TEST_CASE("long rows give the same bits at any number of threads", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks)
    for (const Score score : kScores) test::check_bits_over_threads(mask, random_inputs(mask, score, {4, 16}));
}
