#include <catch2/catch.hpp>

#include <array>
#include <initializer_list>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/attention/detail/pieces.hpp"
#include "edgewise/attention/dot_product.hpp"
#include "edgewise/attention/variants.hpp"
#include "support/attention_inputs.hpp"
#include "support/random_graph.hpp"

/// What the kernels do differently where rows have many edges: rows of the tables interleaved, and some columns at a
/// time.
using namespace edgewise;
using namespace edgewise::attention;
using graph::FrozenGraph;
using graph::Node;
using test::apart;
using test::HeadSizes;
using test::kScores;
using test::random_inputs;
using test::random_matrix;

namespace {

/// Many more sources than destinations, or the other way round: some columns at a time forward and in the first part of
/// the backward pass, or in the second part.
const std::array kMasks = {test::random_mask(90, 2600, 300, 3), test::random_mask(2600, 90, 40, 4)};

constexpr std::initializer_list<HeadSizes> kSizes = {{4, 16}, {8, 8}, {3, 5}, {1, 64}, {2, 8}};

void check_against_edgewise(const FrozenGraph& mask, const AttentionInputs& inputs, double bound) {
  Attention fused(Variant::sparse_fused, Purpose::training, mask, inputs);
  Attention edgewise(Variant::sparse_edgewise, Purpose::training, mask, inputs);
  CHECK(apart(fused.forward(), edgewise.forward()) <= bound);
  const Matrix output_gradient = random_matrix(inputs.query.rows(), inputs.heads * inputs.width, 5);
  const AttentionGradients& gradients = fused.backward(output_gradient);
  const AttentionGradients& expected = edgewise.backward(output_gradient);
  CHECK(apart(gradients.query, expected.query) <= bound);
  CHECK(apart(gradients.key, expected.key) <= bound);
  CHECK(apart(gradients.value, expected.value) <= bound);
  CHECK(apart(gradients.attention_vector, expected.attention_vector) <= bound);
}

template <int kHeads>
void check_interleaving() {
  using namespace attention::detail;
  constexpr Layout kLayout{kHeads, simd::kNativeLanes, 0, true};
  using Rows = InterleavedRows<kLayout>;
  const HeadShape shape(kHeads, kInterleavedColumns / kHeads);
  const Matrix table = random_matrix(9, kInterleavedColumns, 1);
  const Matrix own = random_matrix(3, kInterleavedColumns, 2);
  alignas(64) std::array<float, kInterleavedColumns> row, back;
  Matrix interleaved(table.rows(), table.cols());
  for (Eigen::Index r = 0; r < table.rows(); ++r) {
    Rows::store(row.data(), Rows::interleave(Rows::load(table.row(r).data())));
    std::copy(row.begin(), row.end(), interleaved.row(r).data());
    Rows::store(back.data(), Rows::by_head(Rows::load(row.data())));
    CHECK(std::equal(back.begin(), back.end(), table.row(r).data()));
  }
  for (int column = 0; column < kInterleavedColumns; ++column) {
    const int head = column / shape.width, c = column % shape.width;
    const int place = c / Rows::kGroup * Rows::kLanes + head * Rows::kGroup + c % Rows::kGroup;
    CHECK(interleaved(4, place) == table(4, column));
  }
  // 1 to 9 edges of rows of their own or in common.
  const std::array<Node, 9> others = {0, 8, 1, 7, 2, 6, 3, 5, 4};
  const std::array<Node, 9> owners = {0, 0, 0, 0, 1, 1, 2, 2, 2};
  for (int count = 1; count <= 9; ++count) {
    PieceScores scores, expected;
    dot_rows<kLayout>(shape, GatheredRows<>{own.data(), owners.data(), kInterleavedColumns},
                      GatheredRows<>{interleaved.data(), others.data(), kInterleavedColumns}, 0.5F, count, scores.data());
    for (int e = 0; e < count; ++e)
      for (int h = 0; h < kHeads; ++h) {
        const float product = own.row(owners[static_cast<std::size_t>(e)])
                                  .segment(h * shape.width, shape.width)
                                  .dot(table.row(others[static_cast<std::size_t>(e)]).segment(h * shape.width, shape.width));
        CAPTURE(count, e, h);
        CHECK(scores[e * kHeads + h] == Approx(0.5F * product).margin(1e-5));
        expected[e * kHeads + h] = scores[e * kHeads + h];
      }
    Matrix sum = own.topRows(1), of_sum = sum;
    sum_rows<kLayout, Start::present>(shape, scores.data(),
                                      GatheredRows<>{interleaved.data(), others.data(), kInterleavedColumns}, count,
                                      nullptr, sum.data());
    for (int e = 0; e < count; ++e)
      for (int column = 0; column < kInterleavedColumns; ++column)
        of_sum(0, column) += scores[e * kHeads + column / shape.width] *
                             table(others[static_cast<std::size_t>(e)], column);
    CHECK(apart(sum, of_sum) <= 1e-6);
  }
}

}  // namespace

TEST_CASE("interleaved rows give what rows by head give", "[attention][long_rows]") {
  check_interleaving<4>();
  check_interleaving<8>();
}

TEST_CASE("every slot is in one piece, the parts of a row in order", "[attention][long_rows]") {
  using namespace attention::detail;
  for (const FrozenGraph& mask : kMasks)
    for (const Node at_once : {0U, 7U, 1000U, 5000U}) {
      const HeadShape shape(4, 16);
      std::vector<int> seen(mask.slot_count());
      std::vector<graph::EdgeIndex> next(mask.incoming.offsets.begin(), mask.incoming.offsets.end() - 1);
      std::vector<int> begun(mask.destination_count()), ended(mask.destination_count());
      for_each_chunk_of_rows(shape, {mask.incoming, mask.incoming_chunks, at_once}, [&](PieceRows& rows, std::size_t) {
        rows.for_each_piece(shape, [&](const Piece& piece) {
          for (int r = 0; r < piece.rows; ++r) {
            const RowPart part = piece.part(r);
            CHECK(part.slot == next[part.row]);
            next[part.row] += static_cast<graph::EdgeIndex>(part.count);
            begun[part.row] += part.is_first;
            ended[part.row] += part.is_last;
            for (int e = 0; e < part.count; ++e) CHECK(piece.row_of[piece.starts[r] + e] == part.row);
          }
        });
      });
      for (Node row = 0; row < mask.destination_count(); ++row) {
        CHECK(next[row] == mask.incoming.offsets[row + 1]);
        CHECK(begun[row] == 1);
        CHECK(ended[row] == 1);
      }
    }
}

TEST_CASE("long rows give what the edge-wise variant gives", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks)
    for (const Score score : kScores)
      for (const HeadSizes sizes : kSizes) {
        CAPTURE(name(score), sizes.heads, sizes.width, mask.destination_count());
        check_against_edgewise(mask, random_inputs(mask, score, sizes), 2e-5);
      }
}

TEST_CASE("large scores of some parts of a long row are safe", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks) {
    AttentionInputs inputs = random_inputs(mask, Score::dot_product, {4, 16});
    inputs.key.bottomRows(20) *= 40;
    inputs.query.topRows(40) *= 3;
    check_against_edgewise(mask, inputs, 2e-4);
    inputs.key.topRows(30) *= -90;
    check_against_edgewise(mask, inputs, 1e-3);
  }
}

TEST_CASE("long rows give the same bits at any number of threads", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks)
    for (const Score score : kScores) test::check_bits_over_threads(mask, random_inputs(mask, score, {4, 16}));
}

TEST_CASE("some columns at a time drop the same weights", "[attention][long_rows]") {
  for (const FrozenGraph& mask : kMasks) {
    // With a bias of edge features, even of zeros, all columns are gone through at once.
    FrozenGraph with_features = mask;
    with_features.edge_features = Matrix::Ones(static_cast<Eigen::Index>(mask.slot_count()), 1);
    const AttentionInputs inputs = random_inputs(mask, Score::dot_product, {4, 16});
    const std::array<float, 4> bias{};
    DotProductInputs pointers{.heads = 4,
                                    .width = 16,
                                    .query = inputs.query.data(),
                                    .key = inputs.key.data(),
                                    .value = inputs.value.data()};
    const auto rows = inputs.query.rows();
    const auto run = [&](const FrozenGraph& graph) {
      Matrix output(rows, 64), log_sum_exp(rows, 4);
      dot_product_forward(graph, pointers, {.probability = 0.4F, .key = 9}, output.data(), log_sum_exp.data(), {}, nullptr);
      return output;
    };
    const Matrix in_blocks = run(mask);
    pointers.edge_bias = bias.data();
    CHECK(apart(in_blocks, run(with_features)) <= 1e-5);
  }
}
