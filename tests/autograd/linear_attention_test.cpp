#include "edgewise/autograd/linear_attention.hpp"

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

const std::vector<LinearAttentionOptions> kOptions = {
    {.heads = 2}, {.heads = 2, .is_causal = true}, {.heads = 2, .kernel = LinearKernel::sgformer}};

/// The same by the weights of all pairs, in double.
Eigen::MatrixXd by_pairs(std::span<const graph::Node> offsets, const Matrix& query, const Matrix& key,
                         const Matrix& value, const LinearAttentionOptions& options) {
  const bool is_elu = options.kernel == LinearKernel::elu;
  const auto phi = [](double x) { return x > 0 ? x + 1 : std::exp(x); };
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(query.rows(), query.cols());
  const Eigen::Index width = query.cols() / options.heads;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const Eigen::Index begin = offsets[g], count = offsets[g + 1] - offsets[g];
    Eigen::MatrixXd q = query.middleRows(begin, count).cast<double>(), k = key.middleRows(begin, count).cast<double>();
    if (is_elu) {
      q = q.unaryExpr(phi);
      k = k.unaryExpr(phi);
    } else if (count > 1) {
      q /= q.norm();
      k /= k.norm();
    } else {
      q.setZero();
    }
    for (int h = 0; h < options.heads; ++h) {
      const Eigen::MatrixXd v = value.block(begin, h * width, count, width).cast<double>();
      Eigen::MatrixXd weights = q.middleCols(h * width, width) * k.middleCols(h * width, width).transpose();
      if (options.is_causal) weights = weights.triangularView<Eigen::Lower>().toDenseMatrix();
      if (!is_elu) weights += static_cast<double>(count) * Eigen::MatrixXd::Identity(count, count);
      const Eigen::VectorXd sums = weights.rowwise().sum().array() + (is_elu ? 1e-6 : 0.0);
      y.block(begin, h * width, count, width) = sums.cwiseInverse().asDiagonal() * (weights * v);
    }
  }
  return y;
}

}  // namespace

TEST_CASE("linear attention is attention by the weights of all pairs", "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 3, 3, 4, 2600, 2607};  // one graph is in several pieces
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  const Matrix query = test::random_matrix(2607, 6, 1, -3, 3), key = test::random_matrix(2607, 6, 2, -3, 3),
               value = test::random_matrix(2607, 6, 3);
  for (const LinearAttentionOptions& options : kOptions) {
    INFO("causal " << options.is_causal << ", kernel " << static_cast<int>(options.kernel));
    Tape tape;
    const Variable y =
        linear_attention(graphs, tape.constant(query), tape.constant(key), tape.constant(value), options);
    const Eigen::MatrixXd expected = by_pairs(offsets, query, key, value, options);
    CHECK((y.value().cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("the size of queries and keys does not matter to sgformer", "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 9};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  const auto run = [&](float size) {
    Parameter query("query", size * test::random_matrix(9, 4, 1)), key("key", size * test::random_matrix(9, 4, 2)),
        value("value", test::random_matrix(9, 4, 3));
    Tape tape;
    const Variable y = linear_attention(graphs, tape.parameter(query), tape.parameter(key), tape.parameter(value),
                                        {.heads = 2, .kernel = LinearKernel::sgformer});
    const Matrix weights = test::random_matrix(9, 4, 4);
    tape.backward(test::weighted_sum(y, weights));
    Matrix all(9, 16);
    all << y.value(), size * query.gradient, size * key.gradient, value.gradient;
    return all;
  };
  const Matrix expected = run(1);
  for (const float size : {1e-30F, 1e-22F, 1e-10F, 1e10F, 1e25F}) {
    INFO(size);
    CHECK((run(size) - expected).cwiseAbs().maxCoeff() < 1e-5F);
  }
}

TEST_CASE("linear attention step by step is causal linear attention", "[autograd][linear_attention]") {
  constexpr Eigen::Index kGraphs = 3, kSteps = 4;
  const graph::Node offsets[] = {0, 4, 8, 12};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  const Matrix query = test::random_matrix(12, 6, 1), key = test::random_matrix(12, 6, 2),
               value = test::random_matrix(12, 6, 3);
  Tape tape(false);
  const Matrix expected = linear_attention(graphs, tape.constant(query), tape.constant(key), tape.constant(value),
                                           {.heads = 2, .is_causal = true})
                              .value();
  Matrix sums = Matrix::Zero(kGraphs, 6 * 4);
  for (Eigen::Index step = 0; step < kSteps; ++step) {
    const auto rows = Eigen::seqN(step, kGraphs, kSteps);
    const Matrix q = query(rows, Eigen::all), k = key(rows, Eigen::all), v = value(rows, Eigen::all);
    const Variable y = linear_attention_step(tape.constant(q), tape.constant(k), tape.constant(v), 2, sums);
    CHECK((y.value() - expected(rows, Eigen::all)).cwiseAbs().maxCoeff() < 1e-6F);
  }
  const Variable x = tape.constant(query);
  CHECK_THROWS_AS(linear_attention_step(x, x, x, 2, sums), UsageError);
}

TEST_CASE("gradients of linear attention match central differences", "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 4, 4, 5, 9};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  for (const LinearAttentionOptions& options : kOptions) {
    INFO("causal " << options.is_causal << ", kernel " << static_cast<int>(options.kernel));
    test::check_gradient([&](Tape&, Variables v) { return linear_attention(graphs, v[0], v[1], v[2], options); },
                         {test::random_matrix_off_zero(9, 4, 1), test::random_matrix_off_zero(9, 4, 2),
                          test::random_matrix(9, 4, 3)});
  }
}

TEST_CASE("gradients of linear attention flow between the pieces of a graph", "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 1500};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  for (const LinearAttentionOptions& options : kOptions)
    test::check_gradient([&](Tape&, Variables v) { return linear_attention(graphs, v[0], v[1], v[2], options); },
                         {test::random_matrix_off_zero(1500, 2, 1), test::random_matrix_off_zero(1500, 2, 2),
                          test::random_matrix(1500, 2, 3)},
                         {.samples = 6});
}

TEST_CASE("linear attention gives the same bits at any number of threads", "[autograd][linear_attention][same_bits]") {
  const graph::Node offsets[] = {0, 5, 3100, 3101, 3300};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  const auto run = [&](int count, const LinearAttentionOptions& options) {
    const int before = threads();
    set_threads(count);
    std::vector<Parameter> in;
    for (std::uint64_t i = 0; i < 3; ++i) in.emplace_back("x", test::random_matrix(3300, 4, i));
    Tape tape;
    const Variable y =
        linear_attention(graphs, tape.parameter(in[0]), tape.parameter(in[1]), tape.parameter(in[2]), options);
    const Matrix ones = Matrix::Ones(y.rows(), y.cols());
    tape.backward(test::weighted_sum(y, ones));
    set_threads(before);
    Matrix all(3300, 16);
    all << y.value(), in[0].gradient, in[1].gradient, in[2].gradient;
    return all;
  };
  for (const LinearAttentionOptions& options : kOptions) CHECK(run(1, options) == run(3, options));
}

TEST_CASE("later rows do not change what causal linear attention says of earlier ones",
          "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 1200};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  const Matrix x = test::random_matrix(1200, 4, 1);
  Matrix changed = x;
  changed.bottomRows(100).setConstant(5);
  Tape tape;
  const auto of = [&](const Matrix& rows) {
    const Variable v = tape.constant(rows);
    return linear_attention(graphs, v, v, v, {.is_causal = true}).value();
  };
  CHECK(of(x).topRows(1100) == of(changed).topRows(1100));
}

TEST_CASE("linear attention stays finite and refuses what it cannot do", "[autograd][linear_attention]") {
  const graph::Node offsets[] = {0, 3};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  Tape tape;
  const Matrix low = Matrix::Constant(3, 2, -1000), none = Matrix::Zero(3, 2), ones = Matrix::Ones(3, 2);
  CHECK(linear_attention(graphs, tape.constant(low), tape.constant(low), tape.constant(ones), {}).value().allFinite());
  CHECK(linear_attention(graphs, tape.constant(none), tape.constant(none), tape.constant(ones),
                         {.kernel = LinearKernel::sgformer})
            .value()
            .isApprox(ones));
  const Variable x = tape.constant(ones);
  CHECK_THROWS_AS(linear_attention(graphs, x, x, x, {.heads = 3}), UsageError);
  graph::Csr shared;
  shared.offsets = {0, 2, 3};
  shared.columns = {0, 1, 1};
  CHECK_THROWS_WITH(linear_attention(graph::freeze(std::move(shared), 3), x, x, x, {}),
                    Catch::Matchers::Contains("got row 1 twice"));
  CHECK_THROWS_AS(linear_attention(graphs, x, x, x, {.kernel = LinearKernel::sgformer, .is_causal = true}), UsageError);
}
