#include "edgewise/attention/custom_score.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

#include "bench/attention.hpp"
#include "edgewise/attention/variants.hpp"
#include "support/attention_inputs.hpp"
#include "support/naive_attention.hpp"
#include "support/random_graph.hpp"

/// A custom score in one file, and everything that works with it: forward, backward, and the benchmark.
using namespace edgewise;
using namespace edgewise::attention;
using graph::Node;
using test::MatrixXd;
using test::random_matrix;

namespace {

/// Minus the squared distance, bounded:
///   score[u->v, h] = x / (1 + |x|) with x = -scale * |query[v, h] - key[u, h]|^2
struct Distance : ColumnScore {
  static constexpr std::string_view kName = "distance";

  Distance(const ScoreOptions& options, int width) { scale = options.scale ? 2.0F / static_cast<float>(width) : 2.0F; }

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    return (query - key) * (key - query);
  }
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    const Floats through = 2.0F * (key - query) * gradient;
    return {through, -through, gradient * value(query, key)};
  }
  /// x <= 0.
  template <class Floats>
  Floats activate(Floats x) const {
    return x / (1.0F - x);
  }
  /// 1 + score = 1 / (1 - x), and the derivative is its square.
  template <class Floats>
  Floats through(Floats score, Floats gradient) const {
    return gradient * (1.0F + score) * (1.0F + score);
  }
};

/// Has both a scale and an attention vector: score[u->v, h] = scale * attention_vector[h] . (query[v, h] * key[u, h])
struct WeightedProduct : ColumnScore {
  static constexpr std::string_view kName = "weighted_product";
  static constexpr bool kHasVector = true;

  WeightedProduct(const ScoreOptions& /*options*/, int /*width*/) { scale = 0.25F; }

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    return query * key;
  }
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    return {gradient * key, gradient * query, gradient * query * key};
  }
};

constexpr std::array kVariants = {Variant::sparse_fused, Variant::gather_scatter, Variant::dense_masked,
                                  Variant::dense_tiled};

double naive_score(const AttentionInputs& inputs, const MatrixXd& query, const MatrixXd& key, Node u, Node v, int h) {
  double x = 0;
  for (int d = h * inputs.width; d < (h + 1) * inputs.width; ++d) x -= std::pow(query(v, d) - key(u, d), 2);
  x *= 2.0 / inputs.width;
  return x / (1 - x);
}

/// The sum of weights * output in double.
double naive_loss(const graph::FrozenGraph& mask, const AttentionInputs& inputs, const MatrixXd& query,
                  const MatrixXd& key, const MatrixXd& value, const MatrixXd& weights) {
  return test::naive_attention(
             mask, inputs.heads, inputs.width,
             [&](Node u, Node v, graph::EdgeIndex, int h) { return naive_score(inputs, query, key, u, v, h); },
             [&](Node u, graph::EdgeIndex, int column) { return value(u, column); }, {inputs.normaliser})
      .output.cwiseProduct(weights)
      .sum();
}

}  // namespace

TEST_CASE("a custom score works like those of the library", "[apps][custom_score]") {
  const graph::FrozenGraph mask = test::random_mask(20, 30, 6, 1);
  CHECK(score_entry<Distance>().takes_scale);
  for (const Normaliser normaliser : test::kNormalisers) {
    const AttentionInputs inputs = test::random_inputs(mask, score_entry<Distance>(), {2, 5}, normaliser);
    const Matrix weights = random_matrix(20, 10, 7);
    std::array parts = {inputs.query.cast<double>().eval(), inputs.key.cast<double>().eval(),
                        inputs.value.cast<double>().eval()};
    const auto loss = [&] {
      return naive_loss(mask, inputs, parts[0], parts[1], parts[2], weights.cast<double>());
    };
    for (const Variant variant : kVariants) {
      CAPTURE(name(variant), name(normaliser));
      Attention attention(variant, Purpose::training, mask, inputs);
      CHECK(attention.forward().cast<double>().cwiseProduct(weights.cast<double>()).sum() ==
            Approx(loss()).margin(1e-4));
      const AttentionGradients& gradients = attention.backward(weights);
      const std::array of_parts = {&gradients.query, &gradients.key, &gradients.value};
      for (std::size_t part = 0; part < parts.size(); ++part)
        for (Eigen::Index i = 0; i < parts[part].size(); i += 7) {
          double& x = parts[part].data()[i];
          const double at = x, step = 1e-5;
          x = at + step;
          const double above = loss();
          x = at - step;
          const double below = loss();
          x = at;
          CAPTURE(part, i);
          CHECK(of_parts[part]->data()[i] == Approx((above - below) / (2 * step)).margin(2e-5));
        }
    }
  }
}

TEST_CASE("a custom score may have both a scale and an attention vector", "[apps][custom_score]") {
  const graph::FrozenGraph mask = test::random_mask(20, 30, 6, 1);
  const AttentionInputs inputs = test::random_inputs(mask, score_entry<WeightedProduct>(), {2, 5}, Normaliser::softmax);
  const Matrix weights = random_matrix(20, 10, 7);
  Attention fused(Variant::sparse_fused, Purpose::training, mask, inputs);
  Attention reference(Variant::gather_scatter, Purpose::training, mask, inputs);
  CHECK(fused.forward().isApprox(reference.forward(), 1e-5F));
  const AttentionGradients &found = fused.backward(weights), &expected = reference.backward(weights);
  CHECK(found.query.isApprox(expected.query, 1e-5F));
  CHECK(found.key.isApprox(expected.key, 1e-5F));
  CHECK(found.attention_vector.isApprox(expected.attention_vector, 1e-5F));
}

TEST_CASE("the benchmark takes a custom score", "[apps][custom_score][bench]") {
  const graph::FrozenGraph mask = test::random_mask(50, 50, 9, 2);
  for (const Normaliser normaliser : {Normaliser::softmax, Normaliser::none}) {
    app::BenchOptions options;
    options.score = score_entry<Distance>();
    options.normaliser = normaliser;
    options.repeats = 1;
    options.maximal_bytes = 1e9;
    app::AttentionBench bench(options, [](const app::Row&, Variant) {});
    for (const app::Pass pass : {app::Pass::forward, app::Pass::training}) {
      const app::Row row = bench.measure(mask, pass);  // also checks that all variants agree
      REQUIRE(row.measurements.size() == 4);
      for (const app::Measurement& measurement : row.measurements) CHECK(measurement.least_ms > 0);
    }
  }
}
