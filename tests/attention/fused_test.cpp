#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "edgewise/attention/fused/traversal/kept_numbers.hpp"
#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/fused/passes/problem.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/attention_inputs.hpp"
#include "support/naive_operator.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::attention;
using graph::FrozenGraph;
using test::distance;
using test::kNormalisers;
using test::kScores;
using test::MatrixXd;
using test::NaiveOperator;
using test::OperatorOptions;
using test::random_matrix;

namespace {

constexpr int kEdgeFeatures = 11;
enum class Edges { none, bias, value, all };

/// Adds edge features; one of `every` is not 0.
FrozenGraph with_features(FrozenGraph mask, Eigen::Index every = 1) {
  mask.edge_features = random_matrix(static_cast<Eigen::Index>(mask.slot_count()), kEdgeFeatures, 9);
  for (Eigen::Index i = 0; i < mask.edge_features.size(); ++i)
    if (i % every != 0) mask.edge_features.data()[i] = 0;
  return mask;
}
FrozenGraph with_one_hot_features(FrozenGraph mask) { return with_features(std::move(mask), 5); }

/// Removes the edges of every third row.
FrozenGraph with_some_empty_rows(const FrozenGraph& mask) {
  graph::Csr rows;
  for (std::size_t row = 0; row < mask.destination_count(); ++row) {
    const auto first = mask.incoming.columns.begin();
    if (row % 3 != 0)
      rows.columns.insert(rows.columns.end(), first + static_cast<std::ptrdiff_t>(mask.incoming.offsets[row]),
                          first + static_cast<std::ptrdiff_t>(mask.incoming.offsets[row + 1]));
    rows.offsets.push_back(rows.columns.size());
  }
  return graph::freeze(std::move(rows), mask.source_count());
}

bool is_per_head(const OperatorOptions& options) { return AnyScore(options.score)->is_per_head; }

Parts<Matrix> random_parts(const FrozenGraph& mask, const OperatorOptions& options, Edges edges) {
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const int columns = options.heads * options.width;
  const int score_columns = is_per_head(options) ? options.heads : columns;
  Parts<Matrix> parts;
  parts.query = random_matrix(destinations, score_columns, 1);
  parts.key = random_matrix(sources, score_columns, 2);
  parts.value = random_matrix(sources, columns, 3);
  if (AnyScore(options.score)->has_vector) parts.attention_vector = random_matrix(1, columns, 4);
  if (edges == Edges::all && !is_per_head(options)) parts.edge_weight = random_matrix(kEdgeFeatures, columns, 5);
  if (edges == Edges::all || edges == Edges::value) parts.value_edge_weight = random_matrix(kEdgeFeatures, columns, 6);
  if (edges == Edges::all || edges == Edges::bias) parts.edge_bias = random_matrix(kEdgeFeatures, options.heads, 7);
  return parts;
}

const float* data_or_null(const Matrix& matrix) { return matrix.size() == 0 ? nullptr : matrix.data(); }

/// How the passes go through the edges.
struct Ways {
  std::size_t edge_bytes_limit = 0;
  std::size_t column_blocks = 0;
};

struct Results {
  Matrix output, weights;
  Parts<Matrix> gradients;
};

Results run(const FrozenGraph& mask, const OperatorOptions& options, Parts<Matrix>& in, const Matrix& output_gradient,
            const Ways& ways = {}) {
  const Kernels& of = kernels(options.score, options.normaliser);
  const Tables tables{.heads = options.heads,
                      .width = options.width,
                      .parts = in.map(data_or_null),
                      .score = options.of_score,
                      .dropout = options.dropout,
                      .edge_bytes_limit = ways.edge_bytes_limit,
                      .column_blocks = ways.column_blocks};
  Results results;
  Workspace workspace;
  std::vector<float> statistics(row_statistics_size(mask, options.heads, options.width));
  results.output.setConstant(output_gradient.rows(), output_gradient.cols(), NAN);
  of.forward(mask, tables, results.output.data(), statistics.data(), workspace);
  results.weights.setConstant(static_cast<Eigen::Index>(mask.slot_count()), options.heads, NAN);
  of.weights(mask, tables, statistics.data(), results.weights.data(), workspace);
  results.gradients = in.map([](const Matrix& m) { return Matrix::Zero(m.rows(), m.cols()).eval(); });
  const auto wanted = [](const Matrix& m) { return m.size() == 0 ? nullptr : const_cast<float*>(m.data()); };
  of.backward(mask, tables, results.output.data(), output_gradient.data(), statistics.data(),
              results.gradients.map(wanted), workspace);
  return results;
}

void check(const FrozenGraph& mask, const OperatorOptions& options, Edges edges, const Ways& ways = {},
           double bound = 1e-5) {
  CAPTURE(name(options.score), name(options.normaliser), options.heads, options.width,
          static_cast<int>(edges), options.dropout.probability, mask.destination_count(), mask.source_count(),
          ways.edge_bytes_limit, ways.column_blocks);
  Parts<Matrix> in = random_parts(mask, options, edges);
  REQUIRE(test::move_off_kinks(mask, options, in));
  const Matrix gradient =
      random_matrix(static_cast<Eigen::Index>(mask.destination_count()), options.heads * options.width, 8);
  Results results = run(mask, options, in, gradient, ways);

  Parts<MatrixXd> exact = in.map([](const Matrix& m) { return m.cast<double>().eval(); });
  NaiveOperator naive(mask, options);
  CHECK(distance(results.output, naive.forward(exact)) < bound);
  CHECK(distance(results.weights, naive.weights) < bound);
  Parts<MatrixXd> expected = naive.backward(exact, gradient.cast<double>());
  for (std::size_t i = 0; i < expected.all().size(); ++i) {
    CAPTURE(i);
    CHECK(distance(*results.gradients.all()[i], *expected.all()[i]) < bound);
  }
}

/// Calls body(options) for every score and normaliser.
template <class Body>
void for_each_kernel(const Body& body) {
  for (const Score score : kScores)
    for (const Normaliser normaliser : kNormalisers) body(OperatorOptions{.score = score, .normaliser = normaliser});
}

}  // namespace

TEST_CASE("the gradients of the naive operator match its output", "[attention][fused]") {
  const FrozenGraph mask = with_features(test::random_mask(5, 7, 3, 1));
  for (const Score score : kScores)
    for (const Normaliser normaliser : kNormalisers) {
      OperatorOptions options{.score = score, .normaliser = normaliser, .heads = 2, .width = 3};
      options.dropout = {.probability = 0.3F, .key = 5};
      Parts<Matrix> parts = random_parts(mask, options, Edges::all);
      auto in = parts.map([](const Matrix& m) { return m.cast<double>().eval(); });
      const MatrixXd gradient = random_matrix(5, 6, 9).cast<double>();
      NaiveOperator naive(mask, options);
      naive.forward(in);
      Parts<MatrixXd> gradients = naive.backward(in, gradient);
      for (std::size_t part = 0; part < in.all().size(); ++part)
        for (Eigen::Index i = 0; i < in.all()[part]->size(); ++i) {
          double& x = in.all()[part]->data()[i];
          const double at = x, step = 1e-6;
          x = at + step;
          const double above = naive.forward(in).cwiseProduct(gradient).sum();
          x = at - step;
          const double below = naive.forward(in).cwiseProduct(gradient).sum();
          x = at;
          CAPTURE(name(score), name(normaliser), part, i);
          CHECK(gradients.all()[part]->data()[i] == Approx((above - below) / (2 * step)).margin(1e-7));
        }
    }
}

TEST_CASE("the driver equals the naive operator at any width and number of heads", "[attention][fused]") {
  const FrozenGraph mask = with_features(test::random_mask(9, 130, 4, 5)),
                    one_hot = with_one_hot_features(test::random_mask(9, 130, 4, 5));
  for_each_kernel([&](OperatorOptions options) {
    for (const auto& [heads, width] : std::initializer_list<std::pair<int, int>>{{1, 1},
                                                                                 {1, 7},
                                                                                 {8, 8},
                                                                                 {8, 3},
                                                                                 {4, 16},
                                                                                 {4, 5},
                                                                                 {4, 20},
                                                                                 {3, 5},
                                                                                 {2, 9},
                                                                                 {16, 4},
                                                                                 {1, 64},
                                                                                 {2, 65},
                                                                                 {5, 24},
                                                                                 {20, 2},
                                                                                 {40, 16}}) {
      options.heads = heads;
      options.width = width;
      for (const float probability : {0.0F, 0.5F}) {
        options.dropout = {.probability = probability, .key = 11};
        check(mask, options, Edges::none);
        check(mask, options, Edges::all);
      }
      check(mask, options, Edges::bias);
      check(mask, options, Edges::value);
      check(one_hot, options, Edges::all);
    }
  });
}

TEST_CASE("the driver handles dense masks", "[attention][fused]") {
  const auto check_all = [](const FrozenGraph& mask, Edges edges) {
    for_each_kernel([&](OperatorOptions options) {
      for (const int heads : {4, 5}) {
        options.heads = heads;
        options.width = 16;
        options.dropout = {.probability = heads == 4 ? 0.4F : 0.0F, .key = 3};
        check(mask, options, edges);
      }
    });
  };
  check_all(test::random_mask(40, 3500, 150, 3), Edges::none);
  check_all(test::random_mask(3500, 40, 2, 4), Edges::none);
  check_all(with_features(with_some_empty_rows(test::random_mask(30, 2900, 400, 3))), Edges::all);
  check_all(with_features(test::random_mask(2900, 30, 6, 4)), Edges::all);
}

TEST_CASE("a low memory limit for edges gives the same bits", "[attention][fused]") {
  const FrozenGraph sparse = with_one_hot_features(test::random_mask(900, 700, 20, 3)),
                    dense = test::random_mask(200, 900, 300, 8), tall = test::random_mask(3000, 200, 80, 4);
  for_each_kernel([&](OperatorOptions options) {
    options.heads = 4;
    options.width = 16;
    options.dropout = {.probability = 0.2F, .key = 3};
    for (const auto& [mask, edges] :
         {std::pair{&sparse, Edges::none}, {&sparse, Edges::all}, {&dense, Edges::none}, {&tall, Edges::none}}) {
      Parts<Matrix> in = random_parts(*mask, options, edges);
      const Matrix gradient = random_matrix(static_cast<Eigen::Index>(mask->destination_count()), 64, 8);
      Results free = run(*mask, options, in, gradient),
              bound = run(*mask, options, in, gradient, {.edge_bytes_limit = 1});
      CAPTURE(name(options.score), name(options.normaliser), static_cast<int>(edges),
              mask->destination_count());
      CHECK(free.output == bound.output);
      for (std::size_t i = 0; i < free.gradients.all().size(); ++i)
        CHECK(*free.gradients.all()[i] == *bound.gradients.all()[i]);
    }
  });
}

TEST_CASE("there are as many blocks of columns as the cache asks for", "[attention][fused][blocks]") {
  const auto rows_of = [](std::size_t degree) {
    graph::Csr csr{{0}, std::vector<graph::Node>(100 * degree)};
    for (std::size_t row = 1; row <= 100; ++row) csr.offsets.push_back(row * degree);
    return csr;
  };
  const graph::Csr sixteen = rows_of(16);
  CHECK(fused::block_count(60000, 256, sixteen) == 1);
  CHECK(fused::block_count(100000, 256, sixteen) == 2);
  CHECK(fused::block_count(100000, 128, sixteen) == 1);
  CHECK(fused::block_count(200000, 256, sixteen) == 4);
  CHECK(fused::block_count(1000000, 256, sixteen) == 1);  // less than two edges in a block
  CHECK(fused::block_count(100000, 256, rows_of(64)) == 4);
  CHECK(fused::block_count(1000000, 256, rows_of(0)) == 1);
}

TEST_CASE("blocks of columns equal the naive operator", "[attention][fused][blocks]") {
  const FrozenGraph near = with_features(with_some_empty_rows(test::random_mask(300, 400, 20, 3))),
                    far = test::random_mask(2300, 2500, 9, 4), long_rows = test::random_mask(25, 3500, 200, 5);
  for_each_kernel([&](OperatorOptions options) {
    options.heads = 4;
    options.width = 16;
    for (const std::size_t count : {2U, 8U}) {
      options.dropout = {.probability = count == 2 ? 0.0F : 0.4F, .key = 7};
      for (const Edges edges : {Edges::none, Edges::all}) check(near, options, edges, {.column_blocks = count});
      check(long_rows, options, Edges::none, {.column_blocks = count});
      if (options.normaliser == Normaliser::softmax) check(far, options, Edges::none, {.column_blocks = count});
    }
  });
  for (const auto& [heads, width] : {std::pair{8, 8}, {8, 3}, {1, 64}, {1, 7}, {5, 24}, {2, 65}}) {
    OperatorOptions options{.score = Score::gatv2, .heads = heads, .width = width};
    check(near, options, Edges::all, {.column_blocks = 4});
  }
}

TEST_CASE("outputs have the same bits with any blocks of columns", "[attention][fused][blocks]") {
  const FrozenGraph mask = test::random_mask(2300, 2500, 15, 4);
  for_each_kernel([&](OperatorOptions options) {
    options.heads = 4;
    options.width = 16;
    options.dropout = {.probability = options.normaliser == Normaliser::relu ? 0.3F : 0.0F, .key = 3};
    Parts<Matrix> in = random_parts(mask, options, Edges::none);
    in.query.topRows(300) *= 100;  // scores too large for exp
    in.key.bottomRows(100) *= 10;
    const Matrix gradient = random_matrix(2300, 64, 8);
    Results one = run(mask, options, in, gradient, {.column_blocks = 1});
    CAPTURE(name(options.score), name(options.normaliser));
    CHECK(one.output.allFinite());
    for (const std::size_t count : {2U, 16U}) {
      Results several = run(mask, options, in, gradient, {.column_blocks = count});
      Results in_ranges = run(mask, options, in, gradient, {.edge_bytes_limit = 1, .column_blocks = count});
      CHECK(one.output == several.output);
      CHECK(one.output == in_ranges.output);
      for (std::size_t i = 0; i < one.gradients.all().size(); ++i) {
        CAPTURE(i, count);
        CHECK(distance(*one.gradients.all()[i], several.gradients.all()[i]->cast<double>()) < 1e-4);
        CHECK(distance(*one.gradients.all()[i], in_ranges.gradients.all()[i]->cast<double>()) < 1e-4);
      }
    }
  });
}

TEST_CASE("the driver gives the same bits at any number of threads", "[attention][fused][threads]") {
  const FrozenGraph sparse = with_features(test::random_mask(3000, 3000, 8, 21)),
                    dense = test::random_mask(700, 1500, 300, 8), tiled = test::random_mask(1500, 2600, 300, 8);
  const int before = threads();
  for_each_kernel([&](OperatorOptions options) {
    options.heads = 4;
    options.width = 16;
    for (const FrozenGraph* mask : {&sparse, &dense, &tiled}) {
      Parts<Matrix> in = random_parts(*mask, options, mask == &sparse ? Edges::all : Edges::none);
      const Matrix gradient = random_matrix(static_cast<Eigen::Index>(mask->destination_count()), 64, 8);
      const Ways ways{.column_blocks = mask == &dense ? std::size_t{4} : std::size_t{0}};
      set_threads(1);
      Results one = run(*mask, options, in, gradient, ways);
      set_threads(3);
      Results three = run(*mask, options, in, gradient, ways);
      CAPTURE(name(options.score), name(options.normaliser), mask->destination_count());
      CHECK(one.output == three.output);
      for (std::size_t i = 0; i < one.gradients.all().size(); ++i)
        CHECK(*one.gradients.all()[i] == *three.gradients.all()[i]);
    }
  });
  set_threads(before);
}

TEST_CASE("the driver takes masks without edges or nodes, and rows in any order", "[attention][fused]") {
  const std::vector<FrozenGraph> masks = {graph::freeze(graph::Csr{{0, 0, 0}, {}}, 2), graph::freeze(graph::Csr{}, 0),
                                          graph::freeze(graph::Csr{{0, 0}, {}}, 0), graph::freeze(graph::Csr{}, 3),
                                          graph::freeze(graph::Csr{{0, 3, 5}, {2, 0, 1, 1, 1}}, 3),
                                          graph::freeze(graph::Csr{}, 10000),
                                          graph::freeze(graph::Csr{std::vector<graph::EdgeIndex>(10001, 0), {}}, 0)};
  for_each_kernel([&](OperatorOptions options) {
    options.heads = 2;
    options.width = 4;
    for (const FrozenGraph& mask : masks) check(mask, options, Edges::none);
  });
}

TEST_CASE("a row may exceed the second-level cache", "[attention][fused]") {
  const FrozenGraph mask = test::random_mask(3, 4, 2, 5);
  OperatorOptions options{.score = Score::gatv2, .heads = 1, .width = 150000};
  check(mask, options, Edges::none, {}, 1e-3);  // scores are sums of 150,000 terms
}

TEST_CASE("weights of relu do not sum to 1, those of softmax do", "[attention][fused]") {
  const FrozenGraph mask = test::random_mask(20, 30, 5, 1);
  for (const Score score : kScores)
    for (const Normaliser normaliser : {Normaliser::softmax, Normaliser::relu}) {
      const OperatorOptions options{.score = score, .normaliser = normaliser, .heads = 2, .width = 8};
      Parts<Matrix> in = random_parts(mask, options, Edges::none);
      const Results results = run(mask, options, in, random_matrix(20, 16, 1));
      CHECK(results.output.row(0).isZero(0));  // attends to no node
      const auto edges = static_cast<Eigen::Index>(mask.incoming.offsets[2] - mask.incoming.offsets[1]);
      const auto sums = results.weights.topRows(edges).colwise().sum().eval();
      CHECK(sums.isOnes(1e-5F) == (normaliser == Normaliser::softmax));
      CHECK((results.weights.array() >= 0).all());
    }
}

TEST_CASE("scores of any size are safe", "[attention][fused]") {
  for (const FrozenGraph& mask : {test::random_mask(40, 600, 6, 5), test::random_mask(40, 3500, 150, 3)}) {
    const OperatorOptions options{.heads = 4, .width = 16};
    Parts<Matrix> in = random_parts(mask, options, Edges::none);
    in.key.bottomRows(20) *= 1000;
    in.query.topRows(20) *= 100;
    const Matrix gradient = random_matrix(in.query.rows(), 64, 8);
    const Results results = run(mask, options, in, gradient);
    auto exact = in.map([](const Matrix& m) { return m.cast<double>().eval(); });
    // Scores up to 1e5 have rounding errors of about 1e-2.
    CHECK(distance(results.output, NaiveOperator(mask, options).forward(exact)) < 1e-2);
    CHECK(results.gradients.query.allFinite());
    CHECK(results.gradients.key.allFinite());
  }
}

TEST_CASE("weights of scores of any size are those of the forward pass again", "[attention][fused]") {
  const FrozenGraph mask = test::random_mask(60, 300, 9, 5);
  for (const auto& [heads, width] : {std::pair{4, 16}, {8, 8}, {1, 64}, {1, 16}, {2, 4}}) {
    const OperatorOptions options{.heads = heads, .width = width, .of_score = {.scale = false}};
    Parts<Matrix> in = random_parts(mask, options, Edges::none);
    // Scores without rounding errors, up to 2^27 in some rows, with differences from 0 on.
    in.key = (in.key * 2).array().round();
    in.query = (in.query * 2).array().round();
    for (Eigen::Index row = 0; row < in.query.rows(); ++row)
      in.query.row(row) *= std::exp2(static_cast<float>(row % 21));
    const Matrix gradient = random_matrix(in.query.rows(), heads * width, 8);
    Results results = run(mask, options, in, gradient);
    auto exact = in.map([](const Matrix& m) { return m.cast<double>().eval(); });
    NaiveOperator naive(mask, options);
    CAPTURE(heads, width);
    CHECK(distance(results.output, naive.forward(exact)) < 1e-5);
    CHECK(distance(results.weights, naive.weights) < 1e-5);
    Parts<MatrixXd> expected = naive.backward(exact, gradient.cast<double>());
    CHECK(distance(results.gradients.query, expected.query) < 1e-5);
    CHECK(distance(results.gradients.key, expected.key) < 1e-3);  // queries up to 2^21 times the rounding of weights
    CHECK(distance(results.gradients.value, expected.value) < 1e-5);
  }
}

TEST_CASE("weights sum to 1 in the backward pass as well, whatever rounds in the scores", "[attention][fused]") {
  const FrozenGraph mask = with_features(test::random_mask(30, 200, 9, 5));
  for (const Score score : kScores)
    for (const auto& [heads, width] : {std::pair{4, 16}, {8, 8}, {1, 64}, {2, 4}})
      for (const Edges edges : {Edges::none, Edges::bias, Edges::all}) {
        const OperatorOptions options{.score = score, .heads = heads, .width = width};
        Parts<Matrix> in = random_parts(mask, options, edges);
        (AnyScore(score)->has_vector ? in.attention_vector : in.query) *= 1e6F;
        for (const Eigen::Index row : {1, 2, 7}) {
          Matrix gradient = Matrix::Zero(30, heads * width);
          gradient.row(row).setOnes();
          const Results results = run(mask, options, in, gradient);
          CAPTURE(name(score), heads, width, static_cast<int>(edges), row);
          CHECK(results.gradients.value.colwise().sum().isOnes(1e-4F));
        }
      }
}

TEST_CASE("a mask that was never filled adds nothing to gradients", "[attention][fused]") {
  const FrozenGraph mask;
  Workspace workspace;
  workspace.begin();
  std::fill_n(workspace.take(4096), 4096, 1.0F);  // what a call before has left
  Matrix vector = Matrix::Constant(1, 64, 2.0F), gradient = vector;
  std::vector<float> statistics(row_statistics_size(mask, 4, 16));
  const Tables tables{.heads = 4, .width = 16, .parts = {.attention_vector = vector.data()}};
  kernels(Score::gatv2, Normaliser::softmax)
      .backward(mask, tables, nullptr, nullptr, statistics.data(), {.attention_vector = gradient.data()}, workspace);
  CHECK(gradient == vector);
}

TEST_CASE("dropout numbers more than 2^32 weights", "[attention][fused]") {
  constexpr std::uint64_t kKey = 77;
  const edgewise::detail::DropoutMask mask(0.5F, kKey);
  const fused::AnyLayout layout{8, 8};
  std::array<graph::StoredEdge, fused::kLanes> slots{};
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<graph::StoredEdge>((1U << 29) + i * 1000003);
  const auto factors = [&](bool is_long) {
    return fused::HeadDropout{mask, 8, 0, is_long}.factors(layout, slots.data());
  };
  int differences = 0;
  for (int lane = 0; lane < fused::kLanes; ++lane) {
    const std::uint64_t element = std::uint64_t{slots[static_cast<std::size_t>(lane / 8)]} * 8 + lane % 8;
    const std::uint64_t key = edgewise::detail::mask_key(kKey, element);
    const bool is_kept = random_bits(key, static_cast<std::uint32_t>(element)) >= dropout_threshold(0.5F);
    CHECK(factors(true)[lane] == (is_kept ? 2.0F : 0.0F));
    differences += static_cast<int>(factors(true)[lane] != factors(false)[lane]);
  }
  CHECK(differences > 0);
  slots.fill(12345);
  for (int lane = 0; lane < fused::kLanes; ++lane) CHECK(factors(true)[lane] == factors(false)[lane]);
}

TEST_CASE("kept numbers are read up to their end", "[attention][fused]") {
  const graph::Csr csr{{0, 3}, {0, 1, 2}};
  const fused::RowPart part{.row = 0, .begin = 0, .end = 3, .is_first = true, .is_last = true, .slot = 0};
  const fused::RowBlock block{csr, &part, 1, 3, &csr.columns, 0};
  std::vector<float> kept(64, NAN), numbers(64, 5);  // the others may belong to another thread
  std::iota(kept.begin(), kept.begin() + 12, 1.0F);
  fused::KeptNumbers{kept.data()}.get(block, 4, numbers.data());
  for (int i = 0; i < 12; ++i) CHECK(numbers[static_cast<std::size_t>(i)] == static_cast<float>(i + 1));
  for (int i = 12; i < 64; ++i) CHECK_FALSE(std::isnan(numbers[static_cast<std::size_t>(i)]));
}

/// EDGEWISE_FUZZ_CASES problems, with seeds from EDGEWISE_FUZZ_SEED on. A failure prints its seed.
TEST_CASE("the driver equals the naive operator on random problems", "[attention][fused][fuzz]") {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t first = number("EDGEWISE_FUZZ_SEED", 1), count = number("EDGEWISE_FUZZ_CASES", 300);
  const int before = threads();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Random random(seed, Stream::generate, 17);
    const auto one_of = [&](const auto& all) { return all[random.below(all.size())]; };
    OperatorOptions options{.score = one_of(kScores), .normaliser = one_of(kNormalisers)};
    options.heads = 1 + static_cast<int>(random.below(9));
    options.width = 1 + static_cast<int>(random.below(40));
    options.dropout = {.probability = one_of(std::array{0.0F, 0.0F, 0.3F, 0.9F}),
                       .key = random.below(std::uint64_t{1} << 40)};
    const std::size_t destinations = 2 + random.below(80), sources = 1 + random.below(300);
    const double degree = static_cast<double>(random.below(1 + sources / 2));
    set_threads(1 + static_cast<int>(random.below(4)));
    const Ways ways{.edge_bytes_limit = one_of(std::array{0U, 0U, 1U, 5000U}),
                    .column_blocks = one_of(std::array{0U, 0U, 2U, 8U})};
    check(with_features(test::random_mask(destinations, sources, degree, seed), one_of(std::array{1, 3, 5})), options,
          one_of(std::array{Edges::none, Edges::bias, Edges::value, Edges::all}), ways);
  }
  set_threads(before);
}
